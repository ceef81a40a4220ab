/// The time that packets spend in queues: how much longer they take than the fastest ones, in nanoseconds.
///
/// The clocks of both sides differ by an unknown time, so only differences of delays are known. The least delay of the last 10
/// to 20 s stands for an empty queue. In that time, clocks that differ by 100 ppm drift by 2 ms at most. Of the packets of 100
/// ms, the fastest counts, because a large frame delays the frame behind it without being congestion.
struct QueueDelay: Sendable {
    /// The delay in the last complete interval, or 0.
    private(set) var standing: Int64 = 0
    /// The delay of the last packet, which its own frame may have caused.
    private(set) var latest: Int64 = 0
    /// The least transit in the current period of 10 s and in the one before it.
    private var least = Int64.max
    private var leastBefore = Int64.max
    private var periodStart: Int64?
    /// The least transit in the current interval of 100 ms.
    private var leastInInterval = Int64.max
    private var intervalStart: Int64?

    private static let period: Int64 = 10_000_000_000
    private static let interval: Int64 = 100_000_000
    /// Transits are differences of two clocks, cut to about a century, so that their differences do not overflow.
    private static let mostTransit: Int64 = 1 << 61

    mutating func received(sent: Int64, arrival: Int64) {
        let transit = min(max(arrival &- sent, -Self.mostTransit), Self.mostTransit)
        closeInterval(at: sent)
        closePeriod(at: sent)
        least = min(least, transit)
        latest = transit - base
        leastInInterval = min(leastInInterval, transit)
    }

    /// Takes the present delay for that of an empty queue: the route has become longer.
    mutating func rebase() {
        let transit = base &+ standing
        (least, leastBefore, standing, latest) = (transit, .max, 0, 0)
    }

    private var base: Int64 { min(least, leastBefore) }

    private mutating func closeInterval(at sent: Int64) {
        let start = intervalStart ?? sent
        intervalStart = start
        guard sent &- start >= Self.interval || sent < start else { return }
        if leastInInterval != .max { standing = max(0, leastInInterval - base) }
        (leastInInterval, intervalStart) = (.max, sent)
    }

    private mutating func closePeriod(at sent: Int64) {
        let start = periodStart ?? sent
        periodStart = start
        guard sent &- start >= Self.period || sent < start else { return }
        (leastBefore, least, periodStart) = (least, .max, sent)
    }
}

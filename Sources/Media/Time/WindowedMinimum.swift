/// The least value of the last half minute as of now, and whether it is steady.
///
/// The minimum of delays is the constant part of the delay, because queues only add to it. If the minimum keeps rising or falling,
/// the two clocks with which the delay is measured do not advance alike. As far as this is the drift of a crystal, earlier minima
/// are moved along with it: else the least delay would lag by the drift of half a minute, 6 ms at 200 parts per million.
public struct WindowedMinimum: Sendable {
    private static let period: Int64 = 2_000_000_000
    /// The time of which it is the least value, in nanoseconds.
    public static let window: Int64 = 30_000_000_000
    /// The clocks may differ by one part in this many: 5 %.
    private static let tolerance: Int64 = 20
    /// Besides, two minima may differ by this much, because a queue may last for a whole period.
    private static let allowance: Int64 = 250_000_000
    /// How many periods the minimum is taken of at either end of the time over which the drift is measured.
    private static let periodsPerEnd = 2
    /// The largest drift that earlier minima are moved with. Crystals drift by up to 100 parts per million; a queue that grows looks
    /// like more.
    public static let largestDrift = 0.000_5

    private struct Period: Sendable {
        let start: MonotonicTime
        var minimum: Int64
        /// When the minimum came.
        var instant: MonotonicTime
    }

    /// The least of the first complete periods, which are so many.
    private var first: (least: Period, count: Int)?
    /// The least of the last complete periods.
    private var last: Period?
    /// The periods of the window that have values, newest last. The last one is not complete.
    private var periods: [Period] = []
    /// The least value, as of the beginning of the newest period; `nil` before the first.
    public private(set) var value: Int64?
    /// Whether the first and the last complete period of the window have nearly the same minimum.
    public private(set) var isSteady = true

    public init() {}

    /// By how much the minimum has risen since the first periods, in nanoseconds per nanosecond; `nil` before that is a window ago.
    public var slope: Double? {
        guard let first, let last, last.start - first.least.start >= Self.window else { return nil }
        return measuredSlope
    }

    private var measuredSlope: Double? {
        guard let first, let last, first.count == Self.periodsPerEnd, last.start > first.least.start else { return nil }
        return Double(last.minimum &- first.least.minimum) / Double(last.instant - first.least.instant)
    }

    /// - Parameter now: the instant of the value; instants do not go back.
    public mutating func insert(_ value: Int64, at now: MonotonicTime) {
        if let last = periods.last, now - last.start < Self.period {
            guard value < last.minimum else { return }
            periods[periods.count - 1].minimum = value
            periods[periods.count - 1].instant = now
            self.value = min(self.value ?? value, value)
            return
        }
        compareComplete()
        periods.append(Period(start: now, minimum: value, instant: now))
        periods.removeAll { now - $0.start > Self.window }
        let drift = max(-Self.largestDrift, min(Self.largestDrift, measuredSlope ?? 0))
        self.value = periods.lazy.map { $0.minimum &+ Int64(Double(now - $0.instant) * drift) }.min()
    }

    private mutating func compareComplete() {
        guard let oldest = periods.first, let newest = periods.last else { return }
        let allowed = (newest.start - oldest.start) / Self.tolerance + Self.allowance
        isSteady = (newest.minimum &- oldest.minimum).magnitude <= allowed.magnitude
        if let first, first.count == Self.periodsPerEnd {
            last = periods.suffix(Self.periodsPerEnd).min { $0.minimum < $1.minimum }
        } else {
            let least = first.map { $0.least.minimum < newest.minimum ? $0.least : newest } ?? newest
            first = (least, (first?.count ?? 0) + 1)
        }
    }
}

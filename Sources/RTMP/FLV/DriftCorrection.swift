import Media

/// Keeps the times of a publisher's clock to the host's clock, although the two drift apart: at 50 parts per million by 4 s a day.
///
/// The arrival minus the publisher's time of a message is its delay plus a constant. The least one of half a minute is free of queues
/// (``WindowedMinimum``), and the correction follows it slowly. It does so only while the least delay changes no faster than crystals
/// drift: a file that is sent faster than it plays has no clock, and a burst or a pause says nothing of the clock.
///
/// | phase | event | next phase |
/// |---|---|---|
/// | settling | 10 s have passed | measuring |
/// | measuring | 30 s have passed | comparing |
/// | comparing | the least delay has changed by more than drift | settling |
/// | comparing | 30 s have passed | comparing, and the correction follows |
///
/// The correction is kept in all phases, and begins at 0. A plain value without a clock of its own. Times are nanoseconds.
struct DriftCorrection: Sendable {
    /// What a publisher has collected while it connected comes in a burst.
    private static let settlingTime: Int64 = 10_000_000_000
    /// Beyond drift, the least delays of two half minutes may differ by this much, because queues in mobile networks may last for long.
    private static let allowance: Int64 = 50_000_000
    /// A smaller error is not corrected, so the times of a publisher with a correct clock stay as they are. Publishers round to
    /// milliseconds, and of few messages even the least delayed one is late by some milliseconds.
    private static let tolerance: Int64 = 5_000_000
    /// The correction changes by a thousandth of the media time, which is twice the largest drift. In an AAC frame this is one sample,
    /// and in a video frame less than the millisecond to which publishers round.
    private static let slewDivisor: Int64 = 1_000

    private enum Phase: Sendable {
        /// - Parameter until: `nil` before the first message.
        case settling(until: MonotonicTime?)
        case measuring(until: MonotonicTime)
        case comparing(with: Int64, since: MonotonicTime)
    }

    /// What is to be added to the publisher's times.
    private(set) var nanoseconds: Int64 = 0
    private var phase = Phase.settling(until: nil)
    private var delays = WindowedMinimum()
    /// The latest publisher's time.
    private var latest: Int64?

    /// A message has come.
    ///
    /// - Parameters:
    ///   - time: on the publisher's clock; another message may have been later.
    ///   - arrival: must not go back.
    mutating func received(_ time: Int64, arrival: MonotonicTime) {
        let elapsed = max(0, time &- (latest ?? time))
        latest = max(latest ?? time, time)
        guard let least = leastDelay(adding: arrival.nanoseconds &- time, at: arrival) else { return }
        let difference = least &- nanoseconds
        let error = difference &- max(-Self.tolerance, min(Self.tolerance, difference))
        // Times that ascend still do, because this is less than the distance from the latest one.
        let allowed = elapsed / Self.slewDivisor
        nanoseconds &+= max(-allowed, min(allowed, error))
    }

    /// The least delay; `nil` as long as it says nothing of the publisher's clock.
    private mutating func leastDelay(adding delay: Int64, at now: MonotonicTime) -> Int64? {
        switch phase {
        case .settling(let end):
            let end = end ?? now + Self.settlingTime
            phase = now < end ? .settling(until: end) : .measuring(until: now + WindowedMinimum.window)
        case .measuring(let end):
            delays.insert(delay, at: now)
            if now >= end, let least = delays.value { phase = .comparing(with: least, since: now) }
        case .comparing(let former, let start):
            delays.insert(delay, at: now)
            guard let least = delays.value else { return nil }
            let elapsed = now - start
            let drift = Int64(Double(elapsed) * WindowedMinimum.largestDrift)
            guard (least &- former).magnitude <= (drift &+ Self.allowance).magnitude else {
                (phase, delays) = (.settling(until: now + Self.settlingTime), WindowedMinimum())
                return nil
            }
            return elapsed >= WindowedMinimum.window ? least : nil
        }
        return nil
    }
}

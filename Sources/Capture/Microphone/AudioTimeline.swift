import Media

/// Keeps sound in step with the capture clock: samples leave without a gap, at exactly the track's rate, and each carries the
/// time at which it was captured.
///
/// What a card counts too much or too little is taken away or added by resampling, as evenly as possible: players never see a
/// time stamp that does not follow from the one before. Only where sound was lost there is silence, and only after more
/// than a second of it a step in the times.
struct AudioTimeline: Sendable {
    /// How the next captured sound is made to fit.
    enum Correction: Equatable, Sendable {
        /// The count begins, or begins anew, with the sound's own time.
        case begin
        /// It is made longer by so many millionths, or shorter.
        case stretch(partsPerMillion: Int)
        /// So many nanoseconds of silence go before it.
        case insertSilence(Int64)
        /// So many nanoseconds of it are left out.
        case leaveOut(Int64)
    }

    /// 5 ms: a larger difference is lost sound, not drift; one may hear it, and see it on lips from 20 ms on.
    private static let maximumDifference: Int64 = 5_000_000
    /// One second: filling in more would be a burst of silence.
    private static let maximumSilence: Int64 = 1_000_000_000
    /// Differences shrink to a third in so many nanoseconds.
    private static let timeConstant = 5e9
    /// Half of it for drift, half for catching up: 1.7 cents in all, which nobody hears.
    private static let maximumStretch = 500.0

    private let rate: ClockRate
    /// The next sample to leave, in ticks since the epoch; `nil` before the first.
    private(set) var next: Int64?

    init(rate: ClockRate) {
        self.rate = rate
    }

    /// What to do about sound whose first sample was captured at `captured`, in nanoseconds since the epoch.
    ///
    /// - Parameters:
    ///   - waiting: samples that will leave before it.
    ///   - drift: by how many millionths the card counts too fast.
    func correction(for captured: Int64, after waiting: Int, drift: Double) -> Correction {
        guard let next else { return .begin }
        // Wraps where a clock makes no sense; what follows sees a difference like any other.
        let difference = captured &- rate.nanoseconds(inTicks: next &+ Int64(waiting))
        if difference > Self.maximumSilence { return .begin }
        if difference > Self.maximumDifference { return .insertSilence(difference) }
        if difference < -Self.maximumDifference { return .leaveOut(0 &- difference) }
        let catchingUp = Double(difference) / Self.timeConstant * 1e6
        let stretch = Self.limited(catchingUp) - Self.limited(drift)
        return .stretch(partsPerMillion: Int(stretch.rounded()))
    }

    /// The next sample to leave is that of `captured`, in nanoseconds since the epoch; never one before those that have left.
    mutating func begin(at captured: Int64) {
        let tick = rate.ticks(inNanoseconds: captured)
        next = max(tick, next ?? tick)
    }

    /// So many samples leave: the time of their first.
    mutating func take(_ count: Int) -> MediaTime? {
        guard let first = next else { return nil }
        next = first &+ Int64(count)
        return MediaTime(ticks: first, rate: rate)
    }

    private static func limited(_ partsPerMillion: Double) -> Double {
        min(max(partsPerMillion, -maximumStretch), maximumStretch)
    }
}

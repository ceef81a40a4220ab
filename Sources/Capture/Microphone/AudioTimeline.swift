import Media

/// Keeps audio in step with the capture clock: samples leave without a gap, at exactly the track's rate, and with their capture
/// times.
///
/// Resampling removes or adds the samples by which a card's clock is wrong, as evenly as possible, so consecutive timestamps
/// always match the number of samples between them. Only lost audio is replaced by silence, and only if more than one second is
/// lost, the timestamps jump.
struct AudioTimeline: Sendable {
    /// How to fit the next captured audio.
    enum Correction: Equatable, Sendable {
        /// Start, or restart, with the capture time of this audio.
        case begin
        /// Lengthen the audio by this many millionths; shorten it if negative.
        case stretch(partsPerMillion: Int)
        /// Insert silence before the audio, in nanoseconds.
        case insertSilence(Int64)
        /// Drop the beginning of the audio, in nanoseconds.
        case leaveOut(Int64)
    }

    /// 5 ms: a larger difference is lost audio, not drift. It may be audible, and lips look out of sync from 20 ms on.
    static let deviceTolerance: Int64 = 5_000_000
    /// One second: more silence would be sent as a burst.
    private static let maximumSilence: Int64 = 1_000_000_000
    /// The time in nanoseconds in which a difference shrinks to a third.
    private static let timeConstant = 5e9
    /// In millionths, for drift and for catching up each: 1.7 cents in total, which is inaudible.
    private static let maximumStretch = 500.0

    private let rate: ClockRate
    /// A larger difference, in nanoseconds, is lost audio.
    private let tolerance: Int64
    /// The next sample to send, in ticks since the epoch; `nil` before the first.
    private(set) var next: Int64?

    init(rate: ClockRate, tolerance: Int64 = deviceTolerance) {
        (self.rate, self.tolerance) = (rate, tolerance)
    }

    /// The correction for audio that was captured from `captured` on, in nanoseconds since the epoch.
    ///
    /// - Parameters:
    ///   - waiting: the number of samples that will be sent before it.
    ///   - drift: how many millionths the card's clock runs fast.
    func correction(for captured: Int64, after waiting: Int, drift: Double) -> Correction {
        guard let next else { return .begin }
        // May wrap if the times are nonsense; the result is then treated like any other difference.
        let difference = captured &- rate.nanoseconds(inTicks: next &+ Int64(waiting))
        if difference > Self.maximumSilence { return .begin }
        if difference > tolerance { return .insertSilence(difference) }
        if difference < -tolerance { return .leaveOut(0 &- difference) }
        let catchingUp = Double(difference) / Self.timeConstant * 1e6
        let stretch = Self.limited(catchingUp) - Self.limited(drift)
        return .stretch(partsPerMillion: Int(stretch.rounded()))
    }

    /// Sets the next sample's time to `captured`, in nanoseconds since the epoch, but never back before samples already sent.
    mutating func begin(at captured: Int64) {
        let tick = rate.ticks(inNanoseconds: captured)
        next = max(tick, next ?? tick)
    }

    /// Takes `count` samples and returns the time of the first.
    mutating func take(_ count: Int) -> MediaTime? {
        guard let first = next else { return nil }
        next = first &+ Int64(count)
        return MediaTime(ticks: first, rate: rate)
    }

    private static func limited(_ partsPerMillion: Double) -> Double {
        min(max(partsPerMillion, -maximumStretch), maximumStretch)
    }
}

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

    /// How capture times are followed.
    struct Policy: Hashable, Sendable {
        /// A larger difference, in nanoseconds, is lost audio, not drift.
        let tolerance: Int64
        /// The time in nanoseconds in which a difference shrinks to a third.
        let timeConstant: Double
        /// In millionths, for drift and for catching up each.
        let maximumStretch: Double

        /// For devices, whose drift is measured. 5 ms may be audible, and lips look out of sync from 20 ms on. The stretch is 1.7 cents
        /// in total, which is inaudible.
        static let device = Self(tolerance: 5_000_000, timeConstant: 5e9, maximumStretch: 500)
        /// For audio from the network. Its capture times are corrected by up to 0.5 % of the elapsed time (`ReceptionTimeline`), and are
        /// then followed at a distance of 5 ms. The shortest packets of cameras have 20 ms, so that a lost one is noticed.
        static let received = Self(tolerance: 15_000_000, timeConstant: 1e9, maximumStretch: 5_000)
    }

    /// One second: more silence would be sent as a burst.
    private static let maximumSilence: Int64 = 1_000_000_000

    private let rate: ClockRate
    private let policy: Policy
    /// The next sample to send, in ticks since the epoch; `nil` before the first.
    private(set) var next: Int64?

    init(rate: ClockRate, policy: Policy = .device) {
        (self.rate, self.policy) = (rate, policy)
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
        if difference > policy.tolerance { return .insertSilence(difference) }
        if difference < -policy.tolerance { return .leaveOut(0 &- difference) }
        let catchingUp = Double(difference) / policy.timeConstant * 1e6
        let stretch = limited(catchingUp) - limited(drift)
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

    private func limited(_ partsPerMillion: Double) -> Double {
        min(max(partsPerMillion, -policy.maximumStretch), policy.maximumStretch)
    }
}

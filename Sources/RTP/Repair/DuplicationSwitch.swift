import Media

/// Decides whether packets are sent twice to a client that cannot ask for lost ones: while it reports losses that do not look like
/// congestion, because a second copy would make that worse. A pure value.
///
/// It turns on with a reported loss, and off 60 s later: the client counts copies as received, so that its reports hide losses
/// meanwhile. If it reports one again then, it turns on again.
public struct DuplicationSwitch: Hashable, Sendable {
    /// How long packets are sent twice after a reported loss, in nanoseconds.
    private static let duration: Int64 = 60_000_000_000
    /// Above this share, losses look like congestion.
    private static let congestedShare = 0.1
    /// A round trip that is longer than the shortest by this much looks like congestion, in nanoseconds.
    private static let congestedDelay: Int64 = 100_000_000

    private var until: MonotonicTime?
    private var congestedUntil: MonotonicTime?
    private var shortestRoundTrip: Int64?

    public init() {}

    /// The client has sent a reception report.
    ///
    /// - Parameters:
    ///   - newlyLost: packets that are missing in addition to those of the report before.
    ///   - lossShare: the share of packets lost since then, 0 … 1.
    ///   - roundTrip: in nanoseconds; `nil` if unknown.
    public mutating func reported(newlyLost: Int64, lossShare: Double, roundTrip: Int64?, at now: MonotonicTime) {
        if let roundTrip { shortestRoundTrip = min(shortestRoundTrip ?? roundTrip, roundTrip) }
        let delay = (roundTrip ?? 0) - (shortestRoundTrip ?? 0)
        if lossShare > Self.congestedShare || delay > Self.congestedDelay { congestedUntil = now + Self.duration }
        if newlyLost > 0 { until = now + Self.duration }
    }

    /// Whether packets are sent twice now.
    public func isOn(at now: MonotonicTime) -> Bool {
        guard let until, now < until else { return false }
        return congestedUntil.map { now >= $0 } ?? true
    }
}

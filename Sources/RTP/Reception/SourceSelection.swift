import Media

/// Decides from which source (SSRC) a track takes its packets.
///
/// A UDP port may receive packets of other sources, because ports of former sessions are used again. But devices also announce a
/// wrong SSRC, or change theirs when they restart. So the announced source is taken at once, and another source only if the current
/// source has sent nothing for a while. A plain value.
public struct SourceSelection: Sendable {
    /// Nanoseconds without a packet of the current source, after which another takes over: media comes far more often.
    public static let mediaPatience: Int64 = 500_000_000
    /// The same for sender reports, which come every few seconds.
    public static let reportPatience: Int64 = 12_000_000_000

    /// The source from which packets are taken; `nil` before the first packet.
    public private(set) var current: SSRC?
    private let announced: SSRC?
    private let isPrivate: Bool
    private let patience: Int64
    /// When the current source sent last. Before there is a current source: when the first packet came that was not taken.
    private var lastHeard: MonotonicTime?

    /// - Parameters:
    ///   - announced: by the sender, if it has announced one.
    ///   - isPrivate: whether only this sender's packets can come, as in a TCP connection. The first source is taken then.
    ///   - patience: in nanoseconds.
    public init(announced: SSRC?, isPrivate: Bool, patience: Int64) {
        (self.announced, self.isPrivate, self.patience) = (announced, isPrivate, patience)
    }

    /// Whether a packet of this source, which has come now, belongs to the track.
    ///
    /// - Parameter isCertain: whether the source is known to be that of the track, as if it were announced.
    public mutating func takes(_ source: SSRC, at now: MonotonicTime, isCertain: Bool = false) -> Bool {
        if isCertain || source == current || source == announced || mayTakeOver(at: now) {
            (current, lastHeard) = (source, now)
            return true
        }
        if lastHeard == nil { lastHeard = now }
        return false
    }

    private func mayTakeOver(at now: MonotonicTime) -> Bool {
        if current == nil, announced == nil || isPrivate { return true }
        return lastHeard.map { now - $0 >= patience } ?? false
    }
}

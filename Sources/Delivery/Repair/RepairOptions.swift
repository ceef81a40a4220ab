import Media
import RTP

/// How much is sent again to viewers that have lost packets.
public struct RepairOptions: Hashable, Sendable {
    /// For each viewer.
    public var viewerLimits = RetransmissionBudget.Limits()
    /// Bytes per second for all viewers of a loop: a twentieth of what a loop can send as single packets.
    public var loopBytesPerSecond: Int64 = 12_500_000

    public init() {}

    /// How long a viewer's fast start is kept after PLAY, so that its packets can be sent again, in nanoseconds: the time that sending
    /// it may take, and the time in which most clients ask.
    static let fastStartKeeping: Int64 = 1_000_000_000

    /// The bytes that may be sent again to all viewers of a loop: a burst of 100 ms.
    var loopLimits: TokenBucket.Limits {
        TokenBucket.Limits(burst: loopBytesPerSecond / 10, earning: loopBytesPerSecond, every: 1_000_000_000)
    }
}

/// What the sender of a reliable transport knows about it at one time.
///
/// Over TCP, it comes from the viewer's position in the feed and from `TCP_INFO`. SRT has `msSndBuf`, `msRTT` and `mbpsSendRate`.
public struct BacklogSample: Hashable, Sendable {
    /// Media time in nanoseconds from the next unit that is not sent to the newest, and the time that what is sent waits in the network.
    public var lag: Int64
    /// The rate at which data have arrived at the receiver; `nil` if it is unknown.
    public var delivered: DataRate?
    /// Whether the sender had nothing more to send for a part of the time. Then the path may carry more.
    public var isApplicationLimited: Bool
    /// The latest and the least round-trip time in nanoseconds; 0 if they are unknown, or if `lag` has the time in the network.
    public var roundTripTime: Int64
    public var leastRoundTripTime: Int64
    /// The share, 0...1, of the time since the previous sample in which the receiver's window stopped the sender
    /// (`tcpi_rwnd_limited`). Then the player is slow, not the path.
    public var receiverWindowLimitedShare: Double

    public init(
        lag: Int64, delivered: DataRate?, isApplicationLimited: Bool, roundTripTime: Int64 = 0,
        leastRoundTripTime: Int64 = 0, receiverWindowLimitedShare: Double = 0
    ) {
        self.lag = lag
        self.delivered = delivered
        self.isApplicationLimited = isApplicationLimited
        self.roundTripTime = roundTripTime
        self.leastRoundTripTime = leastRoundTripTime
        self.receiverWindowLimitedShare = receiverWindowLimitedShare
    }

    /// Whether the player took less than it was sent: its window stopped the sender for most of the time.
    var isPlayerSlow: Bool { receiverWindowLimitedShare > 0.5 }

    /// Nanoseconds by which the round-trip time exceeds the least one: the time in queues of the network.
    var queueTime: Int64 {
        guard roundTripTime > 0, leastRoundTripTime > 0 else { return 0 }
        return max(0, roundTripTime &- leastRoundTripTime)
    }
}

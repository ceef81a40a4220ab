import Media

/// Limits the bytes that are sent again to one viewer: a share of the rate of its stream, with a burst. A pure value.
///
/// Requests for packets are small and may be forged; without a limit, each would cause up to 17 packets.
public struct RetransmissionBudget: Hashable, Sendable {
    /// How much may be sent again.
    public struct Limits: Hashable, Sendable {
        /// The share of the stream's bytes, in percent.
        public var percent: Int64
        /// Packets that may be sent again at once.
        public var burstPackets: Int64

        /// The defaults repair 20 % loss. 64 packets are one lost keyframe of 90 kB.
        public init(percent: Int64 = 25, burstPackets: Int64 = 64) {
            self.percent = percent
            self.burstPackets = burstPackets
        }
    }

    /// The largest packet, for the burst in bytes.
    private static let packetByteCount: Int64 = 1_452
    /// The longest time for which bytes are earned at once, so that no product overflows, in nanoseconds.
    private static let longestEarning: Int64 = 60_000_000_000

    private let limits: Limits
    private var byteCount: Int64
    private var lastEarned: MonotonicTime?

    public init(limits: Limits = Limits()) {
        self.limits = limits
        byteCount = limits.burstPackets * Self.packetByteCount
    }

    /// Takes the bytes of a packet, if the budget is not exhausted. The last packet may overdraw it.
    ///
    /// - Parameter bytesPerSecond: the present rate of the stream; at most 1 GB/s counts.
    /// - Returns: whether the packet may be sent.
    public mutating func take(_ count: Int, ofStreamAt bytesPerSecond: Int64, at now: MonotonicTime) -> Bool {
        let elapsed = min(max(0, lastEarned.map { now - $0 } ?? 0), Self.longestEarning)
        lastEarned = now
        let rate = min(max(0, bytesPerSecond), 1_000_000_000) * limits.percent / 100
        byteCount = min(
            limits.burstPackets * Self.packetByteCount, byteCount + rate * (elapsed / 1_000) / 1_000_000)
        guard byteCount > 0 else { return false }
        byteCount -= Int64(count)
        return true
    }
}

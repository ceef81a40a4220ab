/// What one loop has sent and dropped since it started.
public struct DeliveryStatistics: Hashable, Sendable {
    /// Datagrams and interleaved packets.
    public internal(set) var packets: UInt64 = 0
    /// RTP bytes with their headers.
    public internal(set) var bytes: UInt64 = 0
    /// Messages handed to the kernel over UDP. Each is a GSO batch, or one packet if GSO is unavailable.
    public internal(set) var messages: UInt64 = 0
    /// System calls that handed packets to the kernel: `sendmmsg` for UDP, `sendmsg` for TCP.
    public internal(set) var systemCalls: UInt64 = 0
    /// Access units handed to viewers: units × viewers.
    public internal(set) var units: UInt64 = 0
    /// Access units skipped because a viewer fell behind, counted once per viewer.
    public internal(set) var droppedUnits: UInt64 = 0
    /// Messages that the kernel refused for good: no route, filtered.
    public internal(set) var refusedMessages: UInt64 = 0
    /// Packets that were sent again because viewers had lost them. They are not among `packets`.
    public internal(set) var retransmittedPackets: UInt64 = 0
    /// Packets that were sent twice to viewers that cannot ask for lost ones. They are not among `packets`.
    public internal(set) var duplicatedPackets: UInt64 = 0

    public init() {}

    /// Counts packets that were handed over.
    mutating func count(packets: Int, octets: Int) {
        self.packets &+= UInt64(packets)
        bytes &+= UInt64(octets + 12 * packets)
    }

    /// Uncounts one UDP message that the kernel did not take. It is counted again when it is sent again.
    mutating func rollBack(packets: Int, octets: Int, endsUnit: Bool) {
        self.packets &-= UInt64(packets)
        bytes &-= UInt64(octets + 12 * packets)
        messages &-= 1
        if endsUnit { units &-= 1 }
    }

    /// What was done between two samples of the same loop.
    public func since(_ earlier: Self) -> Self {
        var result = Self()
        let counts = [
            \Self.packets, \.bytes, \.messages, \.systemCalls, \.units, \.droppedUnits, \.refusedMessages,
            \.retransmittedPackets, \.duplicatedPackets,
        ]
        for count in counts { result[keyPath: count] = self[keyPath: count] &- earlier[keyPath: count] }
        return result
    }
}

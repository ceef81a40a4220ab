/// What transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01) tells about one packet.
public struct PacketFeedback: Hashable, Sendable, BitwiseCopyable {
    /// When the packet was sent, in nanoseconds of the server's clock.
    public var sent: Int64
    /// When the packet arrived, in nanoseconds since any instant of the receiver's clock; `nil` if the packet was lost.
    public var arrival: Int64?
    /// Bytes on the path.
    public var byteCount: Int

    public init(sent: Int64, arrival: Int64?, byteCount: Int) {
        self.sent = sent
        self.arrival = arrival
        self.byteCount = byteCount
    }
}

/// What transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01) tells about one packet.
public struct PacketFeedback: Hashable, Sendable, BitwiseCopyable {
    /// When the packet was sent, in nanoseconds of the server's clock.
    public var sent: Int64
    /// When it arrived, in nanoseconds of the receiver's clock, whose origin does not matter; `nil` if it was lost.
    public var arrival: Int64?
    /// Bytes on the path.
    public var byteCount: Int

    public init(sent: Int64, arrival: Int64?, byteCount: Int) {
        self.sent = sent
        self.arrival = arrival
        self.byteCount = byteCount
    }
}

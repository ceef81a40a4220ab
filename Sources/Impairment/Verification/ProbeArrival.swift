/// A packet of a numbered series that arrived. Both times are of the same monotonic clock, in nanoseconds.
public struct ProbeArrival: Equatable, Sendable {
    /// The position in the series, from 0.
    public let number: Int
    public let sentAt: Int64
    public let arrivedAt: Int64
    /// The bytes of the IP packet.
    public let byteCount: Int

    public init(number: Int, sentAt: Int64, arrivedAt: Int64, byteCount: Int) {
        (self.number, self.sentAt, self.arrivedAt, self.byteCount) = (number, sentAt, arrivedAt, byteCount)
    }

    var delayNanoseconds: Int64 { arrivedAt - sentAt }
}

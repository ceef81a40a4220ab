/// The packets of one datagram as it was received: of a train in one piece (UDP_GRO), those that the sender had its kernel cut.
///
/// All are equally long but the last, which may be shorter. An empty datagram holds none.
public struct GROPackets: Sequence, IteratorProtocol {
    private var rest: UnsafeRawBufferPointer
    private let byteCount: Int

    /// - Parameter segmentByteCount: Of each packet but the last; `nil` where there is but one.
    init(_ bytes: UnsafeRawBufferPointer, segmentByteCount: Int?) {
        rest = bytes
        byteCount = segmentByteCount ?? bytes.count
    }

    public mutating func next() -> UnsafeRawBufferPointer? {
        guard !rest.isEmpty else { return nil }
        let packet = UnsafeRawBufferPointer(rebasing: rest.prefix(byteCount))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(byteCount))
        return packet
    }
}

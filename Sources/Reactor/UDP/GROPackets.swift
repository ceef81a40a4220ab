/// The packets of one received datagram: several if the kernel coalesced them (GRO).
///
/// All packets have the same size, except that the last may be shorter. An empty datagram has none.
public struct GROPackets: Sequence, IteratorProtocol {
    private var rest: UnsafeRawBufferPointer
    private let byteCount: Int

    /// - Parameter segmentByteCount: The size of each packet but the last; `nil` if there is only one.
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

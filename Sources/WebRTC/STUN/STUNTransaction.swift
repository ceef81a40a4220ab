import Wire

/// The 96 bits by which a response belongs to its request (RFC 8489, section 5).
public struct STUNTransaction: Hashable, Sendable {
    /// The first four bytes.
    let high: UInt32
    /// The other eight bytes.
    let low: UInt64

    public init(high: UInt32, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    @_lifetime(reader: copy reader)
    init?(_ reader: inout ByteReader) {
        guard let high = reader.uint32(), let low = reader.uint64() else { return nil }
        self.init(high: high, low: low)
    }

    func write(to writer: inout ByteWriter) {
        writer.uint32(high)
        writer.uint64(low)
    }
}

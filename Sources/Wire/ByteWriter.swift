/// Appends fields in network byte order to an array.
public struct ByteWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8]

    public init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    public mutating func uint8(_ value: UInt8) {
        bytes.append(value)
    }

    public mutating func uint16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Writes the low 24 bits of `value`.
    public mutating func uint24(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        uint16(UInt16(truncatingIfNeeded: value))
    }

    public mutating func uint32(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value >> 16))
        uint16(UInt16(truncatingIfNeeded: value))
    }

    public mutating func uint64(_ value: UInt64) {
        uint32(UInt32(truncatingIfNeeded: value >> 32))
        uint32(UInt32(truncatingIfNeeded: value))
    }

    public mutating func append(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    public mutating func append(_ more: RawSpan) {
        unsafe more.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// Overwrites two bytes at `offset` that were written before, such as a length that is known only at the end.
    public mutating func patch(uint16 value: UInt16, at offset: Int) {
        precondition(offset >= 0 && offset + 2 <= bytes.count, "only bytes that were written can be patched")
        bytes[offset] = UInt8(truncatingIfNeeded: value >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
    }

    /// Overwrites four bytes at `offset` that were written before.
    public mutating func patch(uint32 value: UInt32, at offset: Int) {
        patch(uint16: UInt16(truncatingIfNeeded: value >> 16), at: offset)
        patch(uint16: UInt16(truncatingIfNeeded: value), at: offset + 2)
    }
}

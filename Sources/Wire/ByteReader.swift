/// A cursor over bytes in network order.
///
/// Every read is bounds-checked. It returns `nil` and leaves the cursor unmoved if there are not enough bytes.
public struct ByteReader: ~Escapable {
    @usableFromInline let bytes: RawSpan

    /// The index of the next byte.
    public private(set) var offset = 0

    @_lifetime(copy bytes)
    @inlinable
    public init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// The number of bytes left.
    @inlinable
    public var remaining: Int { bytes.byteCount - offset }

    /// Reads one byte.
    @_lifetime(self: copy self)
    public mutating func uint8() -> UInt8? {
        load(UInt8.self)
    }

    /// Reads two bytes, most significant first.
    @_lifetime(self: copy self)
    public mutating func uint16() -> UInt16? {
        load(UInt16.self).map(UInt16.init(bigEndian:))
    }

    /// Reads three bytes, most significant first.
    @_lifetime(self: copy self)
    public mutating func uint24() -> UInt32? {
        guard remaining >= 3, let high = uint8(), let low = uint16() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Reads four bytes, most significant first.
    @_lifetime(self: copy self)
    public mutating func uint32() -> UInt32? {
        load(UInt32.self).map(UInt32.init(bigEndian:))
    }

    /// Reads eight bytes, most significant first.
    @_lifetime(self: copy self)
    public mutating func uint64() -> UInt64? {
        load(UInt64.self).map(UInt64.init(bigEndian:))
    }

    /// Returns the next `count` bytes without copying.
    @_lifetime(copy self)
    public mutating func take(_ count: Int) -> RawSpan? {
        guard count >= 0, count <= remaining else { return nil }
        let taken = bytes.extracting(offset..<(offset + count))
        offset += count
        return taken
    }

    /// Returns all remaining bytes without copying.
    @_lifetime(copy self)
    public mutating func takeRest() -> RawSpan {
        let rest = bytes.extracting(offset..<bytes.byteCount)
        offset = bytes.byteCount
        return rest
    }

    /// Skips `count` bytes; returns false if there are not enough.
    @_lifetime(self: copy self)
    public mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        offset += count
        return true
    }

    @_lifetime(self: copy self)
    private mutating func load<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type) -> Value? {
        guard MemoryLayout<Value>.size <= remaining else { return nil }
        let value = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
        offset += MemoryLayout<Value>.size
        return value
    }
}

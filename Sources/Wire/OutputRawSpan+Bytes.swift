extension OutputRawSpan {
    /// Appends a copy of `bytes`; there must be enough free capacity.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(_ bytes: RawSpan) {
        precondition(bytes.byteCount <= freeCapacity, "no room for the bytes")
        unsafe bytes.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes { memory, count in
                unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: source)
                count += source.count
            }
        }
    }

    /// Appends two bytes, most significant first.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(word value: UInt16) {
        unsafe append(value.bigEndian, as: UInt16.self)
    }

    /// Appends four bytes, most significant first.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(uint32 value: UInt32) {
        unsafe append(value.bigEndian, as: UInt32.self)
    }

    /// Appends eight bytes, most significant first.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(uint64 value: UInt64) {
        unsafe append(value.bigEndian, as: UInt64.self)
    }

    /// Appends `byte` `count` times.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(repeating byte: UInt8, count: Int) {
        unsafe append(repeating: byte, count: count, as: UInt8.self)
    }
}

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
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends `byte` `count` times.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(repeating byte: UInt8, count: Int) {
        unsafe append(repeating: byte, count: count, as: UInt8.self)
    }
}

extension Array where Element == UInt8 {
    /// The array's bytes without a copy. (Unlike `span.bytes`, this cannot be applied to an untyped literal of words by mistake.)
    @inlinable
    public var rawSpan: RawSpan {
        @_lifetime(borrow self)
        get { unsafe span.bytes }
    }

    /// Creates a copy of `bytes`.
    @inlinable
    public init(_ bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Creates an array of the bytes that `write` appends, at most `capacity`, in one allocation.
    @inlinable
    public init(capacity: Int, write: (inout OutputRawSpan) -> Void) {
        unsafe self.init(unsafeUninitializedCapacity: capacity) { memory, count in
            let raw = UnsafeMutableRawBufferPointer(start: memory.baseAddress, count: capacity)
            var output = unsafe OutputRawSpan(buffer: raw, initializedCount: 0)
            write(&output)
            count = unsafe output.finalize(for: raw)
        }
    }

    /// Appends a copy of `bytes`.
    @inlinable
    public mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}

extension RawSpan {
    /// Returns the byte at `offset`, which must lie inside the span.
    @inlinable
    public func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount, "offset outside the span")
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}

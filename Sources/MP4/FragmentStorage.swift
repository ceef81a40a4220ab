import Wire

/// The memory of a fragment. A server uses the buffers of its network library, so that each fragment is written once and never
/// copied; everything else uses arrays.
public protocol FragmentStorage: Sendable {
    /// Makes memory with the bytes that `write` appends, of which there are `byteCount`.
    init(byteCount: Int, write: (inout OutputRawSpan) -> Void)

    /// A part of the same memory.
    ///
    /// - Parameter range: within the bytes, counted from the first.
    func slice(_ range: Range<Int>) -> Self

    /// The bytes.
    var rawSpan: RawSpan { @_lifetime(borrow self) get }
}

extension [UInt8]: FragmentStorage {
    public init(byteCount: Int, write: (inout OutputRawSpan) -> Void) {
        self.init(capacity: byteCount, write: write)
    }

    public func slice(_ range: Range<Int>) -> Self { Array(self[range]) }
}

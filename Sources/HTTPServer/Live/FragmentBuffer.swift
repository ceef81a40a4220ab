import MP4
import NIOCore
import Wire

/// Fragments are packaged into the buffers that channels send, so that their payload is never copied.
extension ByteBuffer: FragmentStorage {
    public init(byteCount: Int, write: (inout OutputRawSpan) -> Void) {
        self = ByteBufferAllocator().buffer(capacity: byteCount)
        writeWithOutputRawSpan(minimumWritableBytes: byteCount, initializingWith: write)
    }

    public func slice(_ range: Range<Int>) -> Self {
        // A range within the bytes.
        getSlice(at: readerIndex + range.lowerBound, length: range.count) ?? Self()
    }

    public var rawSpan: RawSpan {
        @_lifetime(borrow self)
        get { readableBytesSpan }
    }
}

/// A fragment in a buffer.
typealias LiveFragment = MP4Fragment<ByteBuffer>

/// Packages a stream for clients of HTTP.
typealias LivePackager = MP4Packager<ByteBuffer>

extension LiveFragment {
    /// The samples, behind the boxes that each client gets with its own times.
    var payload: ByteBuffer {
        // A fragment has at least its boxes.
        bytes.getSlice(at: bytes.readerIndex + boxesByteCount, length: byteCount - boxesByteCount) ?? ByteBuffer()
    }
}

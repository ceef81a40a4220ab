import NIOCore

/// The size and type with which a box begins (ISO/IEC 14496-12, 4.2).
struct BoxHead {
    let type: String
    /// Bytes of the whole box.
    let byteCount: Int
    /// Bytes of size and type: 8, or 16 with a size of 64 bits.
    let headByteCount: Int

    /// Reads the head at the buffer's reader index, and leaves the index there.
    ///
    /// - Returns: `nil` if the head is not complete.
    init?(_ buffer: ByteBuffer) throws(MP4Failure) {
        var buffer = buffer
        guard let size = buffer.readInteger(as: UInt32.self), let type = buffer.readString(length: 4) else {
            return nil
        }
        self.type = type
        guard size == 1 else {
            (byteCount, headByteCount) = (Int(size), 8)
            guard byteCount >= headByteCount else { throw .box(type) }
            return
        }
        guard let long = buffer.readInteger(as: UInt64.self) else { return nil }
        guard long >= 16, long <= UInt64(Int32.max) else { throw .box(type) }
        (byteCount, headByteCount) = (Int(long), 16)
    }
}

extension ByteBuffer {
    /// Reads the next box inside a box.
    ///
    /// - Returns: `nil` at the end.
    mutating func readBox() throws(MP4Failure) -> (type: String, content: ByteBuffer)? {
        guard readableBytes > 0 else { return nil }
        guard let head = try BoxHead(self) else { throw .box("") }
        guard var box = readSlice(length: head.byteCount) else { throw .box(head.type) }
        box.moveReaderIndex(forwardBy: head.headByteCount)
        return (head.type, box)
    }
}

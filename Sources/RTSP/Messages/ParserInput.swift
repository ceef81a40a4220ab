import Wire

/// The bytes of a connection that the parser has not consumed yet.
struct ParserInput: Sendable {
    private var bytes: [UInt8] = []
    /// The index of the first byte that is not consumed.
    private var start = 0
    /// The number of bytes after `start` that contain no line end, so that no byte is searched twice.
    private var searched = 0
    /// The position of the first byte that is not consumed, among all bytes of the connection.
    private(set) var position = 0

    var remaining: Int { bytes.count - start }

    mutating func append(_ more: RawSpan) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        } else if start >= 4096, start >= bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(more)
    }

    /// The byte `offset` bytes ahead.
    func peek(_ offset: Int) -> UInt8? {
        offset < remaining ? bytes[start + offset] : nil
    }

    /// Skips `count` bytes, which must be available.
    mutating func skip(_ count: Int) {
        precondition(count <= remaining, "only available bytes can be skipped")
        start += count
        position &+= count
        searched = max(0, searched - count)
    }

    /// Consumes `count` bytes; `nil` if fewer are available.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= remaining else { return nil }
        defer { skip(count) }
        return bytes[start..<(start + count)]
    }

    /// The result of a search for a line end.
    enum LineSearch {
        case line(ArraySlice<UInt8>)
        case needsMoreBytes
        case tooLong
        /// A control character, or a CR without LF, `offset` bytes ahead.
        case forbiddenByte(offset: Int)
    }

    /// Consumes the next line and returns it without its end (CRLF or LF). The line with its end may have at most
    /// `maximumByteCount` bytes.
    mutating func takeLine(maximumByteCount: Int) -> LineSearch {
        while searched < remaining {
            guard searched < maximumByteCount else { return .tooLong }
            let byte = bytes[start + searched]
            let followsReturn = searched > 0 && bytes[start + searched - 1] == 0x0D
            if byte == 0x0A {
                let line = bytes[start..<(start + searched - (followsReturn ? 1 : 0))]
                skip(searched + 1)
                searched = 0
                return .line(line)
            }
            if followsReturn { return .forbiddenByte(offset: searched - 1) }
            if byte.isForbiddenControl, byte != 0x0D { return .forbiddenByte(offset: searched) }
            searched += 1
        }
        return .needsMoreBytes
    }
}

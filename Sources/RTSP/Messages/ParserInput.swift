import Wire

/// The bytes of a connection that the parser has not taken yet, and how far lines were searched in them.
struct ParserInput: Sendable {
    private var bytes: [UInt8] = []
    /// Index of the first byte not taken.
    private var start = 0
    /// Bytes after `start` that are known to hold no line end: no byte is searched twice.
    private var searched = 0
    /// Index of the first byte not taken, among all that the connection brought.
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
        bytes += [UInt8](more)
    }

    /// The byte `offset` bytes ahead.
    func peek(_ offset: Int) -> UInt8? {
        offset < remaining ? bytes[start + offset] : nil
    }

    /// Passes over `count` bytes, which the caller has seen.
    mutating func skip(_ count: Int) {
        precondition(count <= remaining, "only bytes that were seen are skipped")
        start += count
        position &+= count
        searched = max(0, searched - count)
    }

    /// Takes `count` bytes; `nil` when they are not there.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= remaining else { return nil }
        defer { skip(count) }
        return bytes[start..<(start + count)]
    }

    /// What the search for a line end came to.
    enum LineSearch {
        case line(ArraySlice<UInt8>)
        case needsMoreBytes
        case tooLong
        /// A control character, or a CR without LF, that many bytes ahead.
        case forbiddenByte(offset: Int)
    }

    /// Takes the next line, without its end (CRLF or LF), if with its end it has at most `maximumByteCount` bytes.
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

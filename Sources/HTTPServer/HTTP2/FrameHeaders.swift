import NIOCore

/// Finds the types of the frames in the bytes of one direction of an HTTP/2 connection (RFC 9113, section 4.1).
///
/// ```
/// | length, 24 bits | type, 8 bits | flags, 8 bits | stream, 32 bits | payload of this length |
/// ```
struct FrameHeaders {
    /// The preface of a client (RFC 9113, section 3.4).
    static let prefaceByteCount = 24

    /// Bytes before the next header.
    private var skippedByteCount: Int
    /// Length and type of the next header, as far as they have come.
    private var (word, wordByteCount): (UInt32, Int) = (0, 0)

    /// - Parameter skippedByteCount: the bytes before the first frame.
    init(after skippedByteCount: Int = 0) { self.skippedByteCount = skippedByteCount }

    /// Calls the closure with the type of each header that ends in these bytes.
    mutating func received(_ bytes: ByteBuffer, _ found: (UInt8) -> Void) {
        let bytes = bytes.readableBytesView
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let count = min(skippedByteCount, bytes.endIndex - index)
            skippedByteCount -= count
            index += count
            guard index < bytes.endIndex else { return }
            word = word << 8 | UInt32(bytes[index])
            wordByteCount += 1
            index += 1
            guard wordByteCount == 4 else { continue }
            found(UInt8(truncatingIfNeeded: word))
            // Flags and stream have five bytes.
            skippedByteCount = 5 + Int(word >> 8)
            (word, wordByteCount) = (0, 0)
        }
    }
}

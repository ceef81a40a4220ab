import Wire

/// An incremental parser for the requests, responses and interleaved frames of an RTSP connection.
///
/// The result does not depend on how the bytes are split, because the parser checks each byte in order and each line only when it
/// is complete. A bare LF ends a line like CRLF, folded lines are unfolded, and empty lines before a message are skipped (RFC
/// 2326, section 4). After an error the parser returns no more elements.
public struct Parser: Sendable {
    public enum Element: Hashable, Sendable {
        case request(Request)
        case response(Response)
        /// Interleaved data (RFC 2326, section 10.12). The bytes are shared with the parser's input. Release them before the next
        /// `append`, which otherwise copies that input.
        case interleaved(channel: UInt8, ArraySlice<UInt8>)
    }

    /// The limits on a message.
    public struct Limits: Hashable, Sendable {
        /// The maximum length of start line and headers together, with line ends: ten times as much as real clients send.
        public var headByteCount = 16 * 1024
        /// The maximum number of header lines; each folded line counts.
        public var headerCount = 64
        public var urlByteCount = 2 * 1024
        public var bodyByteCount = 64 * 1024

        public init() {}
    }

    let limits: Limits
    private var input = ParserInput()
    private var stage = Stage.betweenMessages
    private var failure: ParseError?

    private enum Stage: Sendable {
        case betweenMessages
        case head(MessageHead)
        case body(MessageHead, byteCount: Int)
    }

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of bytes that were appended but not parsed yet.
    public var waitingByteCount: Int { input.remaining }

    /// Whether a message or a frame is incomplete.
    public var isInsideMessage: Bool {
        if case .betweenMessages = stage { return input.remaining > 0 }
        return true
    }

    /// Appends the next bytes of the connection.
    public mutating func append(_ bytes: RawSpan) {
        input.append(bytes)
    }

    /// The next complete element; `nil` if more bytes are needed.
    public mutating func next() throws(ParseError) -> Element? {
        if let failure { throw failure }
        do {
            return try advance()
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func advance() throws(ParseError) -> Element? {
        while true {
            switch stage {
            case .betweenMessages:
                guard let first = firstByte() else { return nil }
                if first == UInt8(ascii: "$") { return interleavedFrame() }
                guard first.isLetter else { throw ParseError(.notText, position: input.position) }
                stage = .head(MessageHead())
            case .head(var head):
                // The head is stored again below. Meanwhile the stage must not hold a second reference to it.
                stage = .betweenMessages
                let isComplete = try head.read(from: &input, limits: limits)
                guard isComplete else {
                    stage = .head(head)
                    return nil
                }
                stage = .body(head, byteCount: try head.bodyByteCount(limit: limits.bodyByteCount))
            case .body(let head, let byteCount):
                guard let body = input.take(byteCount) else { return nil }
                stage = .betweenMessages
                return head.element(body: body)
            }
        }
    }

    /// The first byte that is not a line end; it is not consumed.
    private mutating func firstByte() -> UInt8? {
        while let byte = input.peek(0) {
            guard byte == 0x0D || byte == 0x0A else { return byte }
            input.skip(1)
        }
        return nil
    }

    /// Reads an interleaved frame: `$`, channel, two bytes of length, data.
    private mutating func interleavedFrame() -> Element? {
        guard let channel = input.peek(1), let high = input.peek(2), let low = input.peek(3),
            let frame = input.take(4 + (Int(high) << 8 | Int(low)))
        else { return nil }
        return .interleaved(channel: channel, frame.dropFirst(4))
    }
}

import Wire

/// Takes an RTSP connection's bytes as they come and gives its messages, requests and responses alike.
///
/// However the bytes are split, the elements and the error are the same: bytes are judged one after the other, and a
/// line only once it is whole. Bare LF ends a line like CRLF; folded lines are unfolded; empty lines before a message
/// are passed over (RFC 2326, section 4). After an error the parser gives nothing more.
public struct Parser: Sendable {
    public enum Element: Hashable, Sendable {
        case request(Request)
        case response(Response)
        /// Interleaved data (RFC 2326, section 10.12).
        case interleaved(channel: UInt8, [UInt8])
    }

    /// What a message may measure at most.
    public struct Limits: Hashable, Sendable {
        /// Bytes of start line and headers together, line ends included: ten times what real clients send.
        public var headByteCount = 16 * 1024
        /// Header lines, folded ones counted apart.
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

    /// Bytes appended and not given yet.
    public var waitingByteCount: Int { input.remaining }

    /// Whether a message or a frame has begun and is not complete.
    public var isInsideMessage: Bool {
        if case .betweenMessages = stage { return input.remaining > 0 }
        return true
    }

    /// Takes the next bytes of the connection.
    public mutating func append(_ bytes: RawSpan) {
        input.append(bytes)
    }

    /// The next whole element; `nil` when more bytes are needed.
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
                // The head is put back below; meanwhile the stage must not hold a second reference to it.
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

    /// The first byte that is no line end, without taking it.
    private mutating func firstByte() -> UInt8? {
        while let byte = input.peek(0) {
            guard byte == 0x0D || byte == 0x0A else { return byte }
            input.skip(1)
        }
        return nil
    }

    /// `$`, channel, two bytes of length, data.
    private mutating func interleavedFrame() -> Element? {
        guard let channel = input.peek(1), let high = input.peek(2), let low = input.peek(3),
            let frame = input.take(4 + (Int(high) << 8 | Int(low)))
        else { return nil }
        return .interleaved(channel: channel, Array(frame.dropFirst(4)))
    }
}

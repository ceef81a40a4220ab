/// Finds where each request of a connection ends (RFC 9112), and refuses what another server or proxy could read in another way.
///
/// The bytes go to the parser only after this. So requests cannot be smuggled: each line ends with CR LF, each header has one line,
/// and the length of a body is one number. A body of unknown length (`chunked`) is refused, because no client of this server needs
/// one.
///
/// ```
///          empty line, no body                 begin()
///   head ─────────────────────▶ complete ───────────────▶ head
///     │ empty line                 ▲
///     └────────────▶ body ─────────┘ all bytes of the body
/// ```
public struct RequestFraming: Sendable {
    /// The limits of one request.
    public struct Limits: Hashable, Sendable {
        /// Request line and headers.
        public var headByteCount = 16_384
        public var headerCount = 64
        public var targetByteCount = 2_048
        public var bodyByteCount = 65_536

        public init() {}
    }

    private enum Phase {
        case head(RequestHeadFields)
        case body(remaining: Int)
        case complete
    }

    private let limits: Limits
    private var phase = Phase.head(RequestHeadFields())
    /// The bytes of the present line, without its line feed.
    private var line: [UInt8] = []
    private var headByteCount = 0

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether the request is complete. Then call ``begin()`` before the next bytes.
    public var isComplete: Bool { if case .complete = phase { true } else { false } }
    /// Whether a part of a request has arrived.
    public var isInsideRequest: Bool { headByteCount > 0 && !isComplete }
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    public private(set) var expectsContinue = false

    /// Begins the next request.
    public mutating func begin() {
        self = Self(limits: limits)
    }

    /// Takes the next bytes of the request.
    ///
    /// - Returns: how many of them belong to it. The others belong to the next request.
    /// - Throws: if this is no request, or exceeds a limit. The connection must be closed then.
    public mutating func received(_ bytes: ArraySlice<UInt8>) throws(RequestFailure) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            switch phase {
            case .head(var fields):
                try receivedHead(&rest, &fields)
            case .body(let remaining):
                let count = min(remaining, rest.count)
                rest = rest.dropFirst(count)
                phase = count == remaining ? .complete : .body(remaining: remaining - count)
            case .complete:
                return bytes.count - rest.count
            }
        }
        return bytes.count
    }

    /// Takes one line of the head, or a part of one.
    private mutating func receivedHead(
        _ rest: inout ArraySlice<UInt8>, _ fields: inout RequestHeadFields
    ) throws(RequestFailure) {
        let end = rest.firstIndex(of: 0x0A)
        let part = rest[..<(end ?? rest.endIndex)]
        headByteCount += part.count + (end == nil ? 0 : 1)
        guard headByteCount <= limits.headByteCount else { throw .headTooLong(fields.hasRequestLine) }
        line += part
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        guard end != nil else {
            // A target that is too long is refused before it has arrived.
            if !fields.hasRequestLine, line.count > limits.targetByteCount + RequestHeadFields.longestMethod {
                throw .targetTooLong
            }
            return
        }
        guard line.popLast() == 0x0D else { throw .bareLineFeed }
        guard !line.contains(0x0D) else { throw .bareCarriageReturn }
        guard line.isEmpty, fields.hasRequestLine else {
            try fields.add(line, limits)
            phase = .head(fields)
            return line.removeAll(keepingCapacity: true)
        }
        let bodyByteCount = try fields.bodyByteCount(limits)
        expectsContinue = fields.expectsContinue && bodyByteCount > 0
        phase = bodyByteCount == 0 ? .complete : .body(remaining: bodyByteCount)
    }
}

/// Why a request is refused, and its connection closed.
public enum RequestFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case malformedRequestLine
    case unsupportedVersion
    case malformedHeader
    case bareLineFeed
    case bareCarriageReturn
    case hostCount
    case ambiguousLength
    case unsupportedTransferCoding
    case chunkedBody
    case bodyTooLong(limit: Int)
    case targetTooLong
    /// Whether the headers are too long, rather than the request line.
    case headTooLong(Bool)
    case tooManyHeaders(limit: Int)

    /// The status of the response (RFC 9110, section 15.5; RFC 6585, section 5).
    public var status: Int {
        switch self {
        case .unsupportedVersion: 505
        case .chunkedBody: 411
        case .bodyTooLong: 413
        case .targetTooLong, .headTooLong(false): 414
        case .headTooLong(true), .tooManyHeaders: 431
        default: 400
        }
    }

    public var description: String {
        switch self {
        case .malformedRequestLine: "the request line is malformed"
        case .unsupportedVersion: "the server supports HTTP/1.1 and HTTP/1.0"
        case .malformedHeader: "a header is malformed"
        case .bareLineFeed: "a line ends without a carriage return"
        case .bareCarriageReturn: "a line contains a carriage return"
        case .hostCount: "the request needs exactly one Host, which is :authority in HTTP/2"
        case .ambiguousLength: "the length of the body is ambiguous"
        case .unsupportedTransferCoding: "the transfer coding is not supported"
        case .chunkedBody: "the request needs the header Content-Length"
        case .bodyTooLong(let limit): "the body is longer than \(limit) bytes"
        case .targetTooLong, .headTooLong(false): "the URL is too long"
        case .headTooLong(true): "the headers are too long"
        case .tooManyHeaders(let limit): "the request has more than \(limit) headers"
        }
    }
}

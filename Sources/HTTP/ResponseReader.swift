/// Reads the response to one request (RFC 9112) with a bounded head and body. It takes what servers send, such as lines that end with LF
/// alone.
///
/// ```
/// status line ──▶ headers ──▶ body of a known length ──────────▶ complete
///      ▲             ├──────▶ chunks, trailer ────────────────────▲
///      │ 1xx         ├──────▶ body up to the connection's end ────▲
///      └─────────────┴ no body ───────────────────────────────────▲
/// ```
public struct ResponseReader: Sendable {
    /// The limits of one response.
    public struct Limits: Hashable, Sendable {
        /// Status lines, headers, and the lines between chunks.
        public var headByteCount = 16_384
        public var bodyByteCount = 65_536

        public init() {}
    }

    private enum Phase {
        case statusLine
        case headers
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        /// The end of the line behind a chunk.
        case chunkEnd
        case trailer
        case bodyUntilEnd
        case complete
    }

    private let limits: Limits
    private var phase = Phase.statusLine
    /// The bytes of the present line, without its line feed.
    private var line: [UInt8] = []
    private var headByteCount = 0
    /// What has been read. After ``ResponseFailure/bodyTooLong(limit:)``, it lacks only the rest of its body.
    public private(set) var response = ReceivedResponse()

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether nothing has come.
    public var hasNothing: Bool { headByteCount == 0 }

    /// Takes the next bytes.
    ///
    /// - Returns: the response if it is complete. Bytes behind it are ignored.
    public mutating func received(_ bytes: some Collection<UInt8>) throws(ResponseFailure) -> ReceivedResponse? {
        var rest = ArraySlice(bytes)
        while !rest.isEmpty {
            switch phase {
            case .statusLine, .headers, .chunkSize, .chunkEnd, .trailer:
                if let line = try nextLine(&rest) { try received(line: line) }
            case .body(let remaining):
                let count = try takeBody(&rest, atMost: remaining)
                phase = count == remaining ? .complete : .body(remaining: remaining - count)
            case .chunk(let remaining):
                let count = try takeBody(&rest, atMost: remaining)
                phase = count == remaining ? .chunkEnd : .chunk(remaining: remaining - count)
            case .bodyUntilEnd: _ = try takeBody(&rest, atMost: rest.count)
            case .complete: rest = []
            }
        }
        if case .complete = phase { return response }
        return nil
    }

    /// The connection has ended.
    ///
    /// - Returns: the response, if its end is that of the connection.
    public func receivedEnd() throws(ResponseFailure) -> ReceivedResponse {
        switch phase {
        case .complete, .bodyUntilEnd: response
        default: throw .incomplete
        }
    }

    // MARK: Lines

    private mutating func nextLine(_ rest: inout ArraySlice<UInt8>) throws(ResponseFailure) -> [UInt8]? {
        let end = rest.firstIndex(of: 0x0A)
        let part = rest[..<(end ?? rest.endIndex)]
        headByteCount += part.count + (end == nil ? 0 : 1)
        guard headByteCount <= limits.headByteCount else { throw .headTooLong(limit: limits.headByteCount) }
        line += part
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        guard end != nil else { return nil }
        if line.last == 0x0D { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        return line
    }

    private mutating func received(line: [UInt8]) throws(ResponseFailure) {
        switch phase {
        case .statusLine:
            try response.begin(line)
            phase = .headers
        case .headers:
            if line.isEmpty { try beginBody() } else { try response.add(line) }
        case .chunkSize: try beginChunk(line)
        case .chunkEnd:
            guard line.isEmpty else { throw .malformedChunk }
            phase = .chunkSize
        case .trailer: if line.isEmpty { phase = .complete }
        case .body, .chunk, .bodyUntilEnd, .complete: break
        }
    }

    // MARK: Body

    /// The length of the body, at the end of the head (RFC 9112, section 6.3).
    private mutating func beginBody() throws(ResponseFailure) {
        if (100..<200).contains(response.status) {
            response = ReceivedResponse()
            return phase = .statusLine
        }
        if response.status == 204 || response.status == 304 { return phase = .complete }
        if let coding = response.value(of: "Transfer-Encoding") {
            guard coding.utf8.equalsIgnoringCase("chunked") else { throw .unsupportedTransferCoding }
            return phase = .chunkSize
        }
        guard let count = try response.contentLength() else { return phase = .bodyUntilEnd }
        guard count <= limits.bodyByteCount else { throw .bodyTooLong(limit: limits.bodyByteCount) }
        phase = count == 0 ? .complete : .body(remaining: count)
    }

    /// A chunk begins, or the body is complete with a chunk of no bytes. Extensions of chunks are ignored.
    private mutating func beginChunk(_ line: [UInt8]) throws(ResponseFailure) {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }.trimmed
        // Eight digits cannot overflow.
        guard (1...8).contains(digits.count), digits.allSatisfy(\.isHexadecimalDigit) else { throw .malformedChunk }
        let count = digits.reduce(0) { $0 << 4 | Int($1.hexadecimalValue ?? 0) }
        phase = count == 0 ? .trailer : .chunk(remaining: count)
    }

    private mutating func takeBody(_ rest: inout ArraySlice<UInt8>, atMost limit: Int) throws(ResponseFailure) -> Int {
        let part = rest.prefix(limit)
        guard response.body.count + part.count <= limits.bodyByteCount else {
            throw .bodyTooLong(limit: limits.bodyByteCount)
        }
        response.body += part
        rest = rest.dropFirst(part.count)
        return part.count
    }
}

/// Why a response cannot be used.
public enum ResponseFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case malformedStatusLine
    case malformedHeader
    case malformedLength
    /// The headers tell several lengths of the body, as in an attempt to smuggle another response behind it.
    case severalLengths
    case malformedChunk
    case unsupportedTransferCoding
    case headTooLong(limit: Int)
    case bodyTooLong(limit: Int)
    /// The connection has ended before the response.
    case incomplete

    public var description: String {
        switch self {
        case .malformedStatusLine: "the status line is malformed"
        case .malformedHeader: "a header is malformed"
        case .malformedLength: "the length of the body is malformed"
        case .severalLengths: "the headers tell several lengths of the body"
        case .malformedChunk: "a chunk of the body is malformed"
        case .unsupportedTransferCoding: "the transfer coding is not supported"
        case .headTooLong(let limit): "the headers are longer than \(limit) bytes"
        case .bodyTooLong(let limit): "the body is longer than \(limit) bytes"
        case .incomplete: "the connection ended before the response was complete"
        }
    }
}

/// A start line and its headers, as far as they have been read.
struct MessageHead: Sendable {
    private enum StartLine: Sendable {
        case request(Method, target: String, Version)
        case response(Version, StatusCode, reason: String)
    }

    private var startLine: StartLine?
    private var headers = Headers()
    private var lineCount = 0
    private var byteCount = 0
    /// The start of the last line. Errors in the head as a whole refer to it.
    private var lastPosition = 0

    /// Reads the available lines; true if they include the empty line that ends the head.
    mutating func read(from input: inout ParserInput, limits: Parser.Limits) throws(ParseError) -> Bool {
        while true {
            let position = input.position
            switch input.takeLine(maximumByteCount: lineLimit(limits)) {
            case .needsMoreBytes: return false
            case .tooLong: throw tooLong(limits, position: position)
            case .forbiddenByte(let offset): throw error(.controlCharacter, position: position + offset)
            case .line(let line):
                byteCount += input.position - position
                lastPosition = position
                if startLine == nil {
                    startLine = try Self.startLine(line, position, limits)
                } else if line.isEmpty {
                    return true
                } else {
                    try readHeader(line, position: position, limits: limits)
                }
            }
        }
    }

    /// The maximum length of the next line. The first one contains a method and a version besides the URL.
    private func lineLimit(_ limits: Parser.Limits) -> Int {
        startLine == nil ? min(limits.urlByteCount + 64, limits.headByteCount) : limits.headByteCount - byteCount
    }

    private func tooLong(_ limits: Parser.Limits, position: Int) -> ParseError {
        guard startLine == nil else { return error(.headTooLong, position: position) }
        return error(.urlTooLong, position: position)
    }

    private func error(_ fault: ParseError.Fault, position: Int) -> ParseError {
        ParseError(fault, position: position, cSeq: CSeq(headers))
    }

    private static func startLine(
        _ line: ArraySlice<UInt8>, _ position: Int, _ limits: Parser.Limits
    ) throws(ParseError) -> StartLine {
        // A status line may have no reason phrase, and some cameras leave out the blank before it.
        let words = String(line: line).utf8.split(separator: UInt8(ascii: " "), maxSplits: 2).map { Substring($0) }
        if words.count >= 2, let version = Version(words[0]) {
            guard words[1].utf8.count == 3, let code = words[1].decimal(), let status = StatusCode(code) else {
                throw ParseError(.badStartLine, position: position)
            }
            return .response(version, status, reason: words.count == 3 ? String(words[2].trimmed) : "")
        }
        if isHTTP(words) { throw ParseError(.http, position: position) }
        // RFC 2396 requires ASCII, but ffmpeg sends its user's input unchanged. Therefore UTF-8 is accepted.
        guard words.count == 3, words[0].isToken, let version = Version(words[2].trimmed),
            String(validating: line, as: UTF8.self) != nil, !words[1].utf8.contains(UInt8(ascii: "\t"))
        else {
            throw ParseError(.badStartLine, position: position)
        }
        guard words[1].utf8.count <= limits.urlByteCount else { throw ParseError(.urlTooLong, position: position) }
        return .request(Method(rawValue: String(words[0])), target: String(words[1]), version)
    }

    private static func isHTTP(_ words: [Substring]) -> Bool {
        words.first?.hasPrefixIgnoringCase("HTTP/") == true
            || words.count == 3 && words[2].hasPrefixIgnoringCase("HTTP/")
    }

    private mutating func readHeader(
        _ line: ArraySlice<UInt8>, position: Int, limits: Parser.Limits
    ) throws(ParseError) {
        lineCount += 1
        guard lineCount <= limits.headerCount else { throw error(.tooManyHeaders, position: position) }
        let text = String(line: line)
        if line.first?.isLinearWhiteSpace == true {
            guard headers.fold(text.trimmed) else { throw error(.badHeader, position: position) }
            return
        }
        guard let (name, value) = text.halves(around: ":"), name.isToken else {
            throw error(.badHeader, position: position)
        }
        headers.append(HeaderName(String(name)), String(value))
    }

    /// The length of the body (RFC 2326, section 12.14): 0 without Content-Length.
    func bodyByteCount(limit: Int) throws(ParseError) -> Int {
        let lengths = headers.values(of: .contentLength)
        guard let text = lengths.first else { return 0 }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else {
            throw error(.badContentLength, position: lastPosition)
        }
        let digits = text.drop { $0 == "0" }
        guard let length = digits.isEmpty ? 0 : digits.decimal(), length <= limit else {
            throw error(.bodyTooLong, position: lastPosition)
        }
        return length
    }

    /// The whole message; the head must be complete.
    func element(body: ArraySlice<UInt8>) -> Parser.Element {
        switch startLine {
        case .request(let method, let target, let version):
            .request(Request(method, target, version: version, headers: headers, body: Array(body)))
        case .response(let version, let status, let reason):
            .response(Response(status, reason: reason, version: version, headers: headers, body: Array(body)))
        case nil:
            preconditionFailure("a head is complete only after its start line")
        }
    }
}

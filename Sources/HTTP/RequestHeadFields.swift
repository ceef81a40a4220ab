/// What decides the length of a request, collected line by line (RFC 9112, sections 3 and 6).
struct RequestHeadFields: Sendable {
    /// Bytes of the longest method that the server accepts, and of the version, with the blanks between them.
    static let longestMethod = 32

    private(set) var hasRequestLine = false
    private(set) var expectsContinue = false
    private var needsHost = false
    private var headerCount = 0
    private var hostCount = 0
    /// The value of `Content-Length`.
    private var length: Int?
    private var transferCodings: [ArraySlice<UInt8>] = []

    /// Adds a line without its end.
    mutating func add(_ line: [UInt8], _ limits: RequestFraming.Limits) throws(RequestFailure) {
        if hasRequestLine { return try addHeader(line, limits) }
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, (1...16).contains(parts[0].count), parts[0].allSatisfy(\.isTokenByte),
            !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .malformedRequestLine }
        guard parts[1].count <= limits.targetByteCount else { throw .targetTooLong }
        let version = parts[2]
        guard version.count == 8, version.starts(with: "HTTP/".utf8) else { throw .malformedRequestLine }
        guard version.starts(with: "HTTP/1.".utf8), [0x30, 0x31].contains(version.last) else {
            throw .unsupportedVersion
        }
        needsHost = version.last == 0x31
        hasRequestLine = true
    }

    private mutating func addHeader(_ line: [UInt8], _ limits: RequestFraming.Limits) throws(RequestFailure) {
        headerCount += 1
        guard headerCount <= limits.headerCount else { throw .tooManyHeaders(limit: limits.headerCount) }
        // A line that begins with a blank would continue the one before (RFC 9112, section 5.2: a server may refuse it).
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(\.isTokenByte),
            line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw .malformedHeader }
        let (name, value) = (line[..<colon], line[(colon + 1)...].trimmed)
        if name.equalsIgnoringCase("content-length") {
            guard length == nil, (1...18).contains(value.count), value.allSatisfy(\.isDigit) else {
                throw .ambiguousLength
            }
            length = value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        } else if name.equalsIgnoringCase("transfer-encoding") {
            transferCodings.append(value)
        } else if name.equalsIgnoringCase("host") {
            hostCount += 1
        } else if name.equalsIgnoringCase("expect") {
            expectsContinue = value.equalsIgnoringCase("100-continue")
        }
    }

    /// The length of the body, at the end of the head.
    func bodyByteCount(_ limits: RequestFraming.Limits) throws(RequestFailure) -> Int {
        guard hostCount == 1 || !needsHost && hostCount == 0 else { throw .hostCount }
        guard transferCodings.isEmpty else {
            guard length == nil else { throw .ambiguousLength }
            guard transferCodings.count == 1, transferCodings[0].equalsIgnoringCase("chunked") else {
                throw .unsupportedTransferCoding
            }
            throw .chunkedBody
        }
        let length = length ?? 0
        guard length <= limits.bodyByteCount else { throw .bodyTooLong(limit: limits.bodyByteCount) }
        return length
    }
}

/// A response to a client.
public struct ReceivedResponse: Hashable, Sendable {
    public private(set) var status = 0
    /// The words of the status line: `Not Found`; empty if there are none.
    public private(set) var reason = ""
    public private(set) var headers: [Header] = []
    public internal(set) var body: [UInt8] = []

    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    init() {}

    /// The first value of a header, whatever the case of its name.
    public func value(of name: String) -> String? { values(of: name).first }

    /// All values of a header.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.utf8.equalsIgnoringCase(name) }.map(\.value)
    }

    /// Whether the server takes another request over the connection (RFC 9112, section 9.3).
    public var persists: Bool {
        let options = values(of: "Connection").flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
        return !options.contains { $0.trimmed.equalsIgnoringCase("close") }
    }

    /// Status and reason: `404 Not Found`.
    public var statusLine: String { reason.isEmpty ? "\(status)" : "\(status) \(reason)" }

    /// The length of the body; `nil` if no header tells it. A length may be repeated, as a list or in several lines (RFC 9112, section 6.3).
    func contentLength() throws(ResponseFailure) -> Int? {
        var length: Int?
        for value in values(of: "Content-Length") {
            for part in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let digits = part.trimmed
                guard !digits.isEmpty, digits.allSatisfy(\.isDigit), let count = Int(Substring(digits)) else {
                    throw .malformedLength
                }
                guard length ?? count == count else { throw .severalLengths }
                length = count
            }
        }
        return length
    }

    /// Reads the status line (RFC 9112, section 4).
    mutating func begin(_ line: [UInt8]) throws(ResponseFailure) {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/1.".utf8), parts[1].count == 3,
            parts[1].allSatisfy(\.isDigit)
        else { throw .malformedStatusLine }
        status = parts[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        reason = parts.count == 3 ? Self.text(parts[2]) : ""
    }

    /// Adds a header line.
    mutating func add(_ line: [UInt8]) throws(ResponseFailure) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(\.isTokenByte)
        else { throw .malformedHeader }
        headers.append(
            Header(name: Self.text(line[..<colon]), value: Self.text(line[(colon + 1)...].trimmed)))
    }

    /// The bytes as text, without control characters.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
    }
}

/// The host of a URL or of the header `Host`, and its port (RFC 3986, section 3.2; RFC 9110, section 7.2).
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// In lower case and without a final dot; an IPv6 address without its brackets.
    public let host: String
    /// `nil` if none is written, or an empty one.
    public let port: UInt16?
    /// Whether the host is written in brackets, as an IPv6 address is.
    public let isInBrackets: Bool

    /// `nil` unless the text consists of a name or an address, and perhaps a port. User names and percent-encodings are refused,
    /// because no server has such a host.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumByteCount).contains(bytes.count) else { return nil }
        let (host, rest, isInBrackets): (ArraySlice<UInt8>, ArraySlice<UInt8>, Bool)
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            (host, rest, isInBrackets) = (bytes[1..<end], bytes[(end + 1)...], true)
            guard host.allSatisfy({ $0.isHexadecimalDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { return nil }
        } else {
            let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            (host, rest, isInBrackets) = (bytes[..<end], bytes[end...], false)
            guard host.allSatisfy({ $0.isLetterOrDigit || "-_.".utf8.contains($0) }) else { return nil }
        }
        // `cam.example.` is the same host as `cam.example`.
        let name = host.last == UInt8(ascii: ".") ? host.dropLast() : host
        guard let last = name.last, last != UInt8(ascii: "."), let port = Self.port(rest) else { return nil }
        self.host = String(decoding: name.map(\.lowercased), as: UTF8.self)
        self.port = port.number
        self.isInBrackets = isInBrackets
    }

    /// A name has at most 253 bytes (RFC 1035, section 2.3.4).
    private static let maximumByteCount = 260

    /// Reads what follows the host: nothing, or a colon and at most five digits.
    private static func port(_ text: ArraySlice<UInt8>) -> (number: UInt16?, Void)? {
        guard let colon = text.first else { return (nil, ()) }
        let digits = text.dropFirst()
        guard colon == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy(\.isDigit) else { return nil }
        if digits.isEmpty { return (nil, ()) }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return UInt16(exactly: value).map { ($0, ()) }
    }

    public var description: String {
        (isInBrackets ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}

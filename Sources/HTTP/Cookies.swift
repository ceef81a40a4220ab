/// The cookies of a request (RFC 6265, section 4.2).
public struct Cookies: Hashable, Sendable {
    /// Cookies by their names, in the order of the request; several may have the same name.
    public let pairs: [Pair]

    public struct Pair: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    /// Cookies of other servers on this host come along, so that there may be many; the first ones are read.
    static let maximumCount = 64

    /// Reads the values of all `Cookie` headers. What is no cookie is left out, because other servers of this host may have set it.
    public init(_ headers: some Sequence<String>) {
        var pairs: [Pair] = []
        for header in headers {
            for piece in header.utf8.split(separator: UInt8(ascii: ";")) where pairs.count < Self.maximumCount {
                let bytes = piece.trimmed
                guard let end = bytes.firstIndex(of: UInt8(ascii: "=")), end > bytes.startIndex,
                    bytes[..<end].allSatisfy(\.isTokenByte)
                else { continue }
                var value = bytes[end...].dropFirst()
                if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
                    value = value.dropFirst().dropLast()
                }
                guard value.allSatisfy(Self.isValueByte) else { continue }
                pairs.append(
                    Pair(
                        name: String(decoding: bytes[..<end], as: UTF8.self),
                        value: String(decoding: value, as: UTF8.self)))
            }
        }
        self.pairs = pairs
    }

    /// The values of the cookies with this name. A page of another server on this host can add one, so each must be checked.
    public func values(of name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// `cookie-octet` of RFC 6265.
    private static func isValueByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

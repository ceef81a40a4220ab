/// The target of a request: the path and the query of a URL (RFC 9112, section 3.2).
///
/// The path is decoded once, and is only accepted in the form that names a file or a stream: without empty parts, and without `.`
/// and `..`. So no target leaves its folder, and no two targets name the same resource.
public struct RequestTarget: Hashable, Sendable {
    /// The decoded path with its leading slash: `/`, `/yard/cam`, `/cam/`.
    public let path: String
    public let query: Query
    /// The path and the query as the client wrote them, without scheme and host.
    public let text: String
    /// The host that the target names itself, in its absolute form (RFC 9112, section 3.2.2); it takes the place of `Host`.
    public let authority: Authority?

    /// `nil` for a target that is malformed or could mean more than one resource.
    public init?(_ target: String) {
        let bytes = Array(target.utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !bytes.contains(UInt8(ascii: "#")) else { return nil }
        let origin: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "/") {
            (authority, origin) = (nil, bytes[...])
        } else {
            guard let (authority, rest) = Self.absolute(bytes) else { return nil }
            (self.authority, origin) = (authority, rest)
        }
        let mark = origin.firstIndex(of: UInt8(ascii: "?")) ?? origin.endIndex
        guard let path = Self.path(origin[..<mark]), let query = Query(bytes: origin[mark...].dropFirst()) else {
            return nil
        }
        (self.path, self.query) = (path, query)
        text = String(decoding: origin, as: UTF8.self)
    }

    /// The parts of the path, of which the last is empty if the path ends with a slash.
    public var parts: [Substring] {
        // By bytes, because a slash and a combining mark behind it are one character.
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Splits `http://host/path` behind the host. A URL without a path means `/`.
    private static func absolute(_ bytes: [UInt8]) -> (Authority, ArraySlice<UInt8>)? {
        for scheme in ["http://", "https://"] {
            let beginning = bytes.prefix(scheme.utf8.count).map(\.lowercased)
            guard beginning == Array(scheme.utf8) else { continue }
            let rest = bytes.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            guard let authority = Authority(String(decoding: rest[..<end], as: UTF8.self)) else { return nil }
            let origin = rest[end...]
            return (authority, origin.first == UInt8(ascii: "/") ? origin : [UInt8(ascii: "/")] + origin)
        }
        return nil
    }

    private static func path(_ bytes: ArraySlice<UInt8>) -> String? {
        if isPlain(bytes) { return String(decoding: bytes, as: UTF8.self) }
        let parts = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var decoded: [String] = []
        for (index, part) in parts.enumerated() {
            guard let text = percentDecoded(part), text != ".", text != "..",
                // An encoded slash or backslash would be a separator for whatever reads the path next.
                !text.utf8.contains(UInt8(ascii: "/")), !text.utf8.contains(UInt8(ascii: "\\")),
                !text.isEmpty || index == parts.count - 1
            else { return nil }
            decoded.append(text)
        }
        return "/" + decoded.joined(separator: "/")
    }

    /// Whether a path, as it is written, is in its one form: ASCII, nothing to decode, no empty part, and none that begins with a dot.
    /// Most paths are.
    private static func isPlain(_ bytes: ArraySlice<UInt8>) -> Bool {
        var isAfterSlash = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "\\"), 0x80...: return false
            case UInt8(ascii: "/") where isAfterSlash, UInt8(ascii: ".") where isAfterSlash: return false
            default: isAfterSlash = byte == UInt8(ascii: "/")
            }
        }
        return true
    }
}

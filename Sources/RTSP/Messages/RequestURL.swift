import Media
import SDP

/// A parsed RTSP URL (RFC 2326, section 3.2).
///
/// The scheme is `rtsp`, `rtspu` or `rtsps`, ignoring case. The URL of a track is that of its stream with a slash and the track's
/// control name after the path or, as ffmpeg writes it, after the query: `/cam/track1`, `/cam/track1?x=1` and `/cam?x=1/track1`
/// are the same track. Trailing and repeated slashes are ignored.
public struct RequestURL: Hashable, Sendable {
    /// The URL as the client wrote it, without user and password.
    public let text: String
    public let userInformation: UserInformation?
    /// The host as written; a literal IPv6 address keeps its brackets.
    public let host: String
    /// `nil` if the URL names no port; see ``usualPort``.
    public let port: UInt16?
    /// The decoded path without the track's name: `/cam`, or `/`.
    public let path: String
    /// The decoded path, including anything that looks like a track's name.
    public let wholePath: String
    /// The undecoded query without `?` and without the track's name.
    public let query: String?
    /// The track's control name: `track` and digits.
    public let track: String?

    /// `nil` if the text is not an absolute RTSP URL, or has an invalid percent-encoding or port or an encoded control character.
    public init?(_ url: String) {
        guard let (scheme, authority, path, query) = Self.pieces(of: url) else { return nil }
        let at = authority.utf8.lastIndex(of: UInt8(ascii: "@"))
        let hostAndPort = at.map { Substring(authority.utf8[$0...].dropFirst()) } ?? authority
        userInformation = at.flatMap { UserInformation(authority[..<$0]) }
        guard let (host, port) = Self.hostAndPort(hostAndPort), let whole = Self.decodedPath(path) else { return nil }
        self.host = String(host)
        self.port = port
        text = "\(scheme)://\(hostAndPort)\(path)" + (query.map { "?\($0)" } ?? "")
        wholePath = whole

        let (pathBefore, pathTrack) = Self.splitTrack(whole[...])
        let (queryBefore, queryTrack) = query.map { Self.splitTrack(Self.withoutTrailingSlashes($0)) } ?? ("", nil)
        track = (queryTrack ?? pathTrack).map(String.init)
        self.path = queryTrack == nil ? (pathBefore.isEmpty ? "/" : String(pathBefore)) : whole
        self.query = queryBefore.isEmpty ? nil : String(queryBefore)
    }

    /// Whether the scheme is `rtsps`, which uses TLS.
    public var isSecure: Bool { text.hasPrefixIgnoringCase("rtsps:") }

    /// The default port of the scheme.
    public var usualPort: UInt16 { isSecure ? 322 : 554 }

    /// The value of Content-Base: this URL with a trailing `/`.
    ///
    /// There is also a slash before the query. So clients find the tracks whether they append the control name or resolve it by
    /// RFC 3986, which drops the query and everything after the path's last slash.
    public var base: String {
        guard let mark = text.firstIndex(of: "?") else { return text.hasSuffix("/") ? text : text + "/" }
        let path = text[..<mark]
        let query = text[mark...]
        return path + (path.hasSuffix("/") ? "" : "/") + query + (query.hasSuffix("/") ? "" : "/")
    }

    /// The URL of a track, for clients that set up the stream itself: base and control name.
    public func url(ofTrack control: String) -> String { base + control }

    private static func pieces(of url: String) -> (Substring, Substring, Substring, Substring?)? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url[..<colon]
        guard ["rtsp", "rtspu", "rtsps"].contains(where: scheme.equalsIgnoringCase), url[colon...].hasPrefix("://"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        let rest = url[url.utf8.index(colon, offsetBy: 3)...].utf8.prefix { $0 != UInt8(ascii: "#") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let behind = rest[authority.endIndex...]
        let path = behind.prefix { $0 != UInt8(ascii: "?") }
        let query = path.endIndex == behind.endIndex ? nil : Substring(behind[path.endIndex...].dropFirst())
        return (scheme, Substring(authority), Substring(path), query)
    }

    /// Splits at the last colon outside brackets, because VLC writes IPv6 addresses without brackets.
    private static func hostAndPort(_ text: Substring) -> (Substring, UInt16?)? {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), text.utf8.last != UInt8(ascii: "]") else {
            return text.isEmpty ? nil : (text, nil)
        }
        let digits = text[text.utf8.index(after: colon)...]
        let host = text[..<colon]
        guard !host.isEmpty else { return nil }
        if digits.isEmpty { return (host, nil) }
        guard let port = digits.decimal(maximumDigits: 5), let port = UInt16(exactly: port) else { return nil }
        return (host, port)
    }

    /// The decoded path with a leading slash, no trailing slash and no repeated slashes.
    public static func decodedPath(_ path: Substring) -> String? {
        guard let decoded = percentDecoded(path) else { return nil }
        let segments = decoded.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        return "/" + segments.joined(separator: "/")
    }

    /// `nil` for an invalid encoding or an encoded control character.
    static func percentDecoded(_ text: Substring) -> String? {
        var decoded: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                return nil
            }
            let value = high << 4 | low
            guard value >= 0x20, value != 0x7F else { return nil }
            decoded.append(value)
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The text before the last slash, and the control name after it; the name is `nil` if the last part is not one.
    private static func splitTrack(_ text: Substring) -> (Substring, Substring?) {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (text, nil) }
        let name = text[text.utf8.index(after: slash)...]
        guard TrackID.isControlName(name) else { return (text, nil) }
        return (withoutTrailingSlashes(text[..<slash]), name)
    }

    private static func withoutTrailingSlashes(_ text: Substring) -> Substring {
        var rest = text.utf8
        while rest.last == UInt8(ascii: "/") { rest.removeLast() }
        return Substring(rest)
    }
}

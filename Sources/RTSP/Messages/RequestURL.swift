/// The URL of a request, taken apart (RFC 2326, section 3.2).
///
/// `rtsp`, `rtspu` and `rtsps` in any case, any host. A track is named by the URL of its stream, a slash and its
/// control name: behind the path, or, as ffmpeg puts it, behind the query; so `/cam/track1`, `/cam/track1?x=1` and
/// `/cam?x=1/track1` are the same track. Slashes at the end and doubled ones do not count.
public struct RequestURL: Hashable, Sendable {
    /// The URL as the client wrote it, but for user and password.
    public let text: String
    public let userInformation: UserInformation?
    /// As it was written, a literal IPv6 address with its brackets.
    public let host: String
    /// `nil` where the URL names none, which means 554.
    public let port: UInt16?
    /// The decoded path without the track's name: `/cam`, or `/`.
    public let path: String
    /// The decoded path with whatever looks like a track's name in it.
    public let wholePath: String
    /// The undecoded query without `?` and without the track's name.
    public let query: String?
    /// The track's control name: `track` and digits.
    public let track: String?

    /// `nil` for what is no absolute RTSP URL, for a bad percent-encoding or port, and for encoded control characters.
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

    /// Whether it is of `rtsps`, through TLS.
    public var isSecure: Bool { text.startsSame(as: "rtsps:") }

    /// Where a server is that the URL names no port of.
    public var usualPort: UInt16 { isSecure ? 322 : 554 }

    /// What Content-Base says: this URL with `/` at its end.
    ///
    /// Before a query stands a slash too, so that clients find the tracks whether they append the control name or
    /// resolve it as RFC 3986 says, which drops the query and all that follows the path's last slash.
    public var base: String {
        guard let mark = text.firstIndex(of: "?") else { return text.hasSuffix("/") ? text : text + "/" }
        let path = text[..<mark]
        let query = text[mark...]
        return path + (path.hasSuffix("/") ? "" : "/") + query + (query.hasSuffix("/") ? "" : "/")
    }

    /// The URL of a track for clients that set up the stream itself: base, `/`, control name.
    public func url(ofTrack control: String) -> String { base + control }

    private static func pieces(of url: String) -> (Substring, Substring, Substring, Substring?)? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url[..<colon]
        guard ["rtsp", "rtspu", "rtsps"].contains(where: scheme.isSame), url[colon...].hasPrefix("://"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        let rest = url[url.utf8.index(colon, offsetBy: 3)...].utf8.prefix { $0 != UInt8(ascii: "#") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let behind = rest[authority.endIndex...]
        let path = behind.prefix { $0 != UInt8(ascii: "?") }
        let query = path.endIndex == behind.endIndex ? nil : Substring(behind[path.endIndex...].dropFirst())
        return (scheme, Substring(authority), Substring(path), query)
    }

    /// The port stands behind the last colon outside brackets: VLC writes IPv6 addresses without any.
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

    /// The path with a slash in front, none at the end, and single ones between.
    private static func decodedPath(_ path: Substring) -> String? {
        guard let decoded = percentDecoded(path) else { return nil }
        let segments = decoded.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        return "/" + segments.joined(separator: "/")
    }

    /// `nil` for an encoding that is none, and for an encoded control character.
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

    /// What stands before the last slash, and the control name behind it if it is one.
    private static func splitTrack(_ text: Substring) -> (Substring, Substring?) {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (text, nil) }
        let name = text[text.utf8.index(after: slash)...]
        guard name.hasPrefix("track"), (6...8).contains(name.utf8.count), name.utf8.dropFirst(5).allSatisfy(\.isDigit)
        else { return (text, nil) }
        return (withoutTrailingSlashes(text[..<slash]), name)
    }

    private static func withoutTrailingSlashes(_ text: Substring) -> Substring {
        var rest = text.utf8
        while rest.last == UInt8(ascii: "/") { rest.removeLast() }
        return Substring(rest)
    }
}

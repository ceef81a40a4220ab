import HTTP

/// An address of HTTP, without user and password.
public struct HTTPAddress: Hashable, Sendable {
    public let isSecure: Bool
    /// A name or an address; an IPv6 address without brackets.
    public let host: String
    public let port: UInt16
    /// Path and query, still encoded.
    public let target: String

    public init(isSecure: Bool, host: String, port: UInt16?, target: String) {
        (self.isSecure, self.host, self.target) = (isSecure, host, target)
        self.port = port ?? Self.usualPort(isSecure)
    }

    private static func usualPort(_ isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }

    /// The value of `Host`.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == Self.usualPort(isSecure) ? name : "\(name):\(port)"
    }

    private var scheme: String { isSecure ? "https" : "http" }

    /// The URL.
    public var text: String { "\(scheme)://\(authority)\(target)" }

    /// The path and query to which `Location` refers, as a URL of this server or as a path (RFC 3986, section 5.2); `nil` if it refers to
    /// another server, which must not get the credentials.
    func target(of location: String) -> String? {
        // A request line contains no others.
        guard location.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let reference = location.prefix { $0 != "#" }
        if let rest = reference.dropping("\(scheme)://") { return target(ofAuthorityAndPath: rest) }
        if let rest = reference.dropping("//") { return target(ofAuthorityAndPath: rest) }
        if reference.hasPrefix("/") { return String(reference) }
        // A colon in the first segment ends a scheme.
        guard !reference.isEmpty, !reference.hasPrefix("?"), !reference.prefix(while: { $0 != "/" }).contains(":")
        else { return nil }
        let path = target.prefix { $0 != "?" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return "\(folder)\(reference)"
    }

    /// - Parameter text: what follows the scheme and two slashes.
    private func target(ofAuthorityAndPath text: Substring) -> String? {
        let name = text.prefix { $0 != "/" && $0 != "?" }
        guard let authority = Authority(name), authority.host == Authority(self.authority)?.host,
            authority.port ?? Self.usualPort(isSecure) == port
        else { return nil }
        let rest = text[name.endIndex...]
        return rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }
}

extension Substring {
    /// What follows a prefix, whose case does not matter; `nil` if the text begins with something else.
    fileprivate func dropping(_ prefix: String) -> Substring? {
        let head = self.prefix(prefix.count)
        return head.lowercased() == prefix ? self[head.endIndex...] : nil
    }
}

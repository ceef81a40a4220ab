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

    /// The URL.
    public var text: String { "http\(isSecure ? "s" : "")://\(authority)\(target)" }

    /// The path and query to which `Location` refers, as a URL of this server or as a path (RFC 3986, section 5.2); `nil` if it refers to
    /// another server.
    func target(of location: String) -> String? {
        if location.utf8.starts(with: "/".utf8), !location.utf8.starts(with: "//".utf8) { return location }
        let origin = "http\(isSecure ? "s" : "")://\(authority)"
        if location.hasPrefix(origin + "/") { return String(location.dropFirst(origin.utf8.count)) }
        guard !location.isEmpty, !location.contains("//"), !location.contains(where: { "?#:".contains($0) }) else {
            return nil
        }
        let path = target.prefix { $0 != "?" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return folder + location
    }
}

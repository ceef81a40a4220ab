/// The origin of a web page: scheme, host and port (RFC 6454).
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    public let isSecure: Bool
    public let host: String
    private let isInBrackets: Bool
    /// The port, also if it is the usual one of the scheme.
    public let port: UInt16

    /// `nil` for `null`, for other schemes than `http` and `https`, and for a URL with a path.
    public init?(_ text: String) {
        let bytes = text.utf8.map(\.lowercased)
        let secure = Array("https://".utf8)
        let clear = Array("http://".utf8)
        let isSecure = bytes.starts(with: secure)
        guard isSecure || bytes.starts(with: clear),
            let authority = Authority(
                String(decoding: bytes.dropFirst((isSecure ? secure : clear).count), as: UTF8.self))
        else { return nil }
        self.init(authority, isSecure: isSecure)
    }

    /// The origin of the pages at a host.
    public init(_ authority: Authority, isSecure: Bool) {
        self.isSecure = isSecure
        (host, isInBrackets) = (authority.host, authority.isInBrackets)
        port = authority.port ?? (isSecure ? 443 : 80)
    }

    public var description: String {
        let usual: UInt16 = isSecure ? 443 : 80
        let place = isInBrackets ? "[\(host)]" : host
        return (isSecure ? "https://" : "http://") + place + (port == usual ? "" : ":\(port)")
    }
}

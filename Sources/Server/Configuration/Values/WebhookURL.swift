/// The URL of a web server that events are posted to. Its path and query may contain a secret.
public struct WebhookURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL as it is written.
    let text: String
    /// For users: the scheme, the host and the port.
    public let description: String

    /// `nil` for anything else than an `http` or `https` URL in printable ASCII with a host.
    public init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard text.utf8.count <= Self.maximumByteCount, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://")
        else { return nil }
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#\\".contains($0) }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard let first = place.first, first != ":" else { return nil }
        self.text = text
        description = "\(scheme)://\(place)"
    }

    /// A URL for the reference file.
    static let example: Self = {
        guard let url = Self("https://HOST/PATH") else { preconditionFailure("the example is a URL") }
        return url
    }()

    private static let maximumByteCount = 2000
}

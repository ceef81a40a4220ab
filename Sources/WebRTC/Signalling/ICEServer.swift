/// A server of STUN or TURN that clients may use (RFC 9725, section 4.6).
public struct ICEServer: Hashable, Sendable {
    /// `stun:…`, `turn:…` or `turns:…`.
    public let url: String
    /// `nil` for STUN, which needs none.
    public let username: String?
    /// The password, if there is a user name.
    public let credential: String?

    public init(url: String, username: String? = nil, credential: String? = nil) {
        (self.url, self.username, self.credential) = (url, username, credential)
    }

    /// The value of a `Link` header.
    public var link: String {
        let target =
            "<\(String(url.unicodeScalars.filter { $0.value > 0x20 && $0 != "<" && $0 != ">" }))>; rel=\"ice-server\""
        guard let username, let credential else { return target }
        return target
            + "; username=\(quoted(username)); credential=\(quoted(credential)); credential-type=\"password\""
    }

    /// A quoted string (RFC 9110, section 5.6.4), without the characters that end a header.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars where scalar.value >= 0x20 {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}

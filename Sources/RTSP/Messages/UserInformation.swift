/// User and password in front of a URL's host (RFC 3986, section 3.2.1), which no text of this room shows.
///
/// Other clients keep them to themselves and answer a challenge (RFC 2326, appendix D); VLC 3.0's satip access knows no
/// challenge and sends them in the request, in lower case.
public struct UserInformation: Hashable, Sendable {
    public let user: String
    /// `nil` where no colon stands behind the user.
    public let password: String?

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// What stands before the `@`, percent-encoded; `nil` where that is nothing.
    init?(_ text: Substring) {
        guard !text.isEmpty else { return nil }
        let bytes = text.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        user = Self.decoded(Substring(bytes[..<(colon ?? bytes.endIndex)]))
        password = colon.map { Self.decoded(Substring(bytes[$0...].dropFirst())) }
    }

    /// What can be shown of a text that was meant as a URL, usable or not: nothing between the scheme and the last `@`.
    public static func removed(from url: String) -> String {
        guard let at = url.utf8.lastIndex(of: UInt8(ascii: "@")) else { return url }
        let slash = url[..<at].utf8.firstIndex(of: UInt8(ascii: "/"))
        let scheme = slash.map { url[...$0] } ?? ""
        return (scheme.hasSuffix(":/") ? scheme + "/" : "") + url[url.utf8.index(after: at)...]
    }

    /// A percent sign that begins no encoding was meant as one: people type passwords into URLs as they are.
    private static func decoded(_ text: Substring) -> String {
        RequestURL.percentDecoded(text) ?? String(text)
    }
}

extension UserInformation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "redacted" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

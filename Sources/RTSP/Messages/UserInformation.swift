/// The user and password in a URL (RFC 3986, section 3.2.1). No text of this module shows them.
///
/// Most clients do not send them but answer a challenge (RFC 2326, appendix D). VLC 3.0's SAT>IP client does not support
/// challenges; it sends them in the request, in lower case.
public struct UserInformation: Hashable, Sendable {
    public let user: String
    /// `nil` if no colon follows the user.
    public let password: String?

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// From two percent-encoded values of a query.
    public init(encodedUser user: String, password: String) {
        self.init(user: Self.decoded(Substring(user)), password: Self.decoded(Substring(password)))
    }

    /// Reads the percent-encoded text before the `@`; `nil` if it is empty.
    init?(_ text: Substring) {
        guard !text.isEmpty else { return nil }
        let bytes = text.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        user = Self.decoded(Substring(bytes[..<(colon ?? bytes.endIndex)]))
        password = colon.map { Self.decoded(Substring(bytes[$0...].dropFirst())) }
    }

    /// The URL without the text between the scheme and the last `@`, so that it can be shown. The URL need not be valid.
    public static func removed(from url: String) -> String {
        guard let at = url.utf8.lastIndex(of: UInt8(ascii: "@")) else { return url }
        let slash = url[..<at].utf8.firstIndex(of: UInt8(ascii: "/"))
        let scheme = slash.map { url[...$0] } ?? ""
        return (scheme.hasSuffix(":/") ? scheme + "/" : "") + url[url.utf8.index(after: at)...]
    }

    /// Which bytes of the UTF-8 text of a URL are its password; `nil` if it has none. The URL need not be valid, and other text may
    /// be before its scheme.
    public static func passwordBytes(of url: String) -> Range<Int>? {
        let bytes = Array(url.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")),
            let slash = bytes[..<at].firstIndex(of: UInt8(ascii: "/")),
            let colon = bytes[slash..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return colon + 1..<at
    }

    /// The decoded text, or the text itself if its encoding is invalid, because people type passwords with `%` into URLs.
    private static func decoded(_ text: Substring) -> String {
        RequestURL.percentDecoded(text) ?? String(text)
    }
}

extension UserInformation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "redacted" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A password that the first start creates, for clients if the configuration has no users. Its descriptions are redacted.
public struct GeneratedPassword: Hashable, Sendable {
    /// The user of a generated password, by its name.
    public enum User: String, Sendable {
        /// May watch all paths.
        case viewer
        /// May publish to all paths with `source: publish`.
        case publisher
    }

    public let text: String

    /// A password from a file: 8 to 64 lower-case letters and digits. VLC of Debian sends capitals in lower case, and other
    /// characters would have to be percent-encoded in URLs.
    public init?(_ text: String) {
        let isUsable = text.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        guard isUsable, (8...64).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    private init(letters: [UInt8]) {
        text = String(decoding: letters, as: UTF8.self)
    }

    /// A random password of 70 bits, too many to guess even with a recorded login.
    public static func random() -> Self {
        var numbers = SystemRandomNumberGenerator()
        // Without l, o, 0 and 1, which look alike: users type it on televisions.
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
        return Self(letters: (0..<14).map { _ in letters[Int(numbers.next(upperBound: UInt32(letters.count)))] })
    }
}

extension GeneratedPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "redacted" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

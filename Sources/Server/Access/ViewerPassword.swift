/// The password with which other hosts watch while the configuration has no users. No text shows it by chance.
public struct ViewerPassword: Hashable, Sendable {
    /// Whose it is.
    public static let user = "viewer"

    public let text: String

    /// One that somebody has written down: 8 to 64 lower-case letters and digits. VLC as Debian builds it sends capitals in lower
    /// case, and what is no letter would have to be percent-encoded in URLs.
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

    /// One that nobody can foresee: 70 bits, more than can be tried against a conversation that was overheard.
    public static func random() -> Self {
        var numbers = SystemRandomNumberGenerator()
        // Without l, o, 0 and 1, which look alike: people type it into televisions.
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
        return Self(letters: (0..<14).map { _ in letters[Int(numbers.next(upperBound: UInt32(letters.count)))] })
    }
}

extension ViewerPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "redacted" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

import RTSP

/// A password in the configuration: the password itself, or a hash from `apus password`. Its descriptions are redacted.
public struct StoredPassword: Hashable, Sendable {
    public let secret: AccessPolicy.Secret
    /// The algorithm of a hash for Digest; `nil` for others.
    public let algorithm: DigestAlgorithm?
    /// As the configuration contains it.
    let text: String

    /// Whether it can be used for Digest.
    var isForDigest: Bool { if case .salted = secret { false } else { true } }

    static let expectation = "a password of at most 128 bytes, or a hash from `apus password`"
    static let saltByteCount = 16
    private static let keyByteCount = 32

    public init(digest: String, _ algorithm: DigestAlgorithm) {
        secret = .digest(digest)
        self.algorithm = algorithm
        text = "\(algorithm.word):\(digest)"
    }

    public init(salt: [UInt8], key: [UInt8]) {
        secret = .salted(salt: salt, key: key)
        algorithm = nil
        text = "salted:\(Self.digits(salt)):\(Self.digits(key))"
    }

    /// `md5:`, `sha-256:` or `salted:` and hexadecimal digits; any other text is the password itself.
    ///
    /// `nil` for an empty text, for one that cannot be typed, and for a malformed hash: used as a password, it would let no client
    /// log in.
    public init?(_ text: String) {
        guard !text.isEmpty, isLine(text, maximumBytes: 128) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if let algorithm = DigestAlgorithm.allCases.first(where: { $0.word == parts[0].lowercased() }) {
            guard parts.count == 2, let bytes = Self.bytes(parts[1]), bytes.count * 2 == algorithm.digitCount else {
                return nil
            }
            self.init(digest: Self.digits(bytes), algorithm)
        } else if parts[0].lowercased() == "salted" {
            guard parts.count == 3, let salt = Self.bytes(parts[1]), salt.count == Self.saltByteCount,
                let key = Self.bytes(parts[2]), key.count == Self.keyByteCount
            else { return nil }
            self.init(salt: salt, key: key)
        } else {
            self.init(plain: text)
        }
    }

    private init(plain text: String) {
        secret = .password(text)
        algorithm = nil
        self.text = text
    }

    private static func bytes(_ digits: String) -> [UInt8]? {
        let values = digits.compactMap { $0.isASCII ? $0.hexDigitValue : nil }.map(UInt8.init)
        guard values.count == digits.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension StoredPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "redacted" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

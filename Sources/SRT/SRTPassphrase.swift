/// The secret from which both ends of a connection derive its key (AES-CTR, RFC draft-sharabayko-srt, section 6).
public struct SRTPassphrase: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The bytes that libsrt takes.
    public static let byteCounts = 10...79

    public let text: String

    public init(_ text: String) throws(SRTPassphraseError) {
        guard Self.byteCounts.contains(text.utf8.count) else { throw .length(text.utf8.count) }
        guard !text.utf8.contains(0) else { throw .containsZero }
        self.text = text
    }

    /// A text without the passphrase.
    public var description: String { "a passphrase" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is no passphrase.
public enum SRTPassphraseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has this many bytes.
    case length(Int)
    case containsZero

    public var description: String {
        switch self {
        case .length(let count):
            "a passphrase of SRT has \(SRTPassphrase.byteCounts.lowerBound) to \(SRTPassphrase.byteCounts.upperBound) "
                + "characters, not \(count)"
        case .containsZero: "a passphrase of SRT contains no zero"
        }
    }
}

/// The length of the key that a passphrase is made into. The sender of the media chooses; the raw values are bytes.
public enum SRTKeyLength: Int, CaseIterable, Hashable, Sendable {
    /// AES-128.
    case bytes16 = 16
    /// AES-192.
    case bytes24 = 24
    /// AES-256.
    case bytes32 = 32
}

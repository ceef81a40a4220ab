/// How packets are encrypted and authenticated.
public enum CipherSuite: Hashable, Sendable, CaseIterable {
    /// AES-128 in counter mode, and 80 bits of HMAC-SHA1: what every implementation knows (RFC 3711, section 5).
    case counterMode
    /// AES-128-GCM (RFC 7714): less work, where the client knows it.
    case gcm

    /// Of the master key and of the key that encrypts.
    public static let keyByteCount = 16

    /// Of the master salt and of that of each key.
    public var saltByteCount: Int {
        switch self {
        case .counterMode: 14
        case .gcm: 12
        }
    }

    /// Of what authenticates a packet.
    public var tagByteCount: Int {
        switch self {
        case .counterMode: 10
        case .gcm: 16
        }
    }

    /// What any suite adds to a packet at most, a key identifier of four bytes with it.
    public static let maximumOverhead = 20
}

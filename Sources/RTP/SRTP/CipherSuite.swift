/// The encryption and authentication of SRTP packets.
public enum CipherSuite: Hashable, Sendable, CaseIterable {
    /// AES-128 in counter mode with 80 bits of HMAC-SHA1: supported by every implementation (RFC 3711, section 5).
    case counterMode
    /// AES-128-GCM (RFC 7714): cheaper, if the client supports it.
    case gcm

    /// The size of the master key and of the encryption key.
    public static let keyByteCount = 16

    /// The size of the master salt and of the salt of each key.
    public var saltByteCount: Int {
        switch self {
        case .counterMode: 14
        case .gcm: 12
        }
    }

    /// The size of a packet's authentication tag.
    public var tagByteCount: Int {
        switch self {
        case .counterMode: 10
        case .gcm: 16
        }
    }

    /// The maximum number of bytes that any suite adds to a packet, including a key identifier of four bytes.
    public static let maximumOverhead = 20
}

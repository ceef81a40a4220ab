/// The SRTP master keys that a DTLS handshake has made (RFC 5764, section 4.2).
public struct DTLSKeys: Hashable, Sendable {
    /// The SRTP profiles that are offered and accepted, by their numbers on the wire.
    public enum Profile: UInt32, Sendable {
        /// `SRTP_AES128_CM_HMAC_SHA1_80` (RFC 5764, section 4.1.2).
        case counterMode = 1
        /// `SRTP_AEAD_AES_128_GCM` (RFC 7714, section 14.2).
        case gcm = 7

        /// The lengths of key and salt.
        var keyByteCount: Int { 16 }
        var saltByteCount: Int { self == .gcm ? 12 : 14 }
    }

    public let profile: Profile
    /// Key and salt, back to back, of packets that the DTLS client sends.
    public let client: [UInt8]
    /// The same of packets that the server sends.
    public let server: [UInt8]

    /// - Parameter material: the keys of client and server, then the salts of client and server.
    init(_ profile: Profile, material: [UInt8]) {
        let (key, salt) = (profile.keyByteCount, profile.saltByteCount)
        self.profile = profile
        client = Array(material[..<key] + material[(2 * key)..<(2 * key + salt)])
        server = Array(material[key..<(2 * key)] + material[(2 * key + salt)...])
    }

    static func byteCount(_ profile: Profile) -> Int { 2 * (profile.keyByteCount + profile.saltByteCount) }
}

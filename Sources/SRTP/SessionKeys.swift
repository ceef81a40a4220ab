import CSRTPCiphers
import RTP

/// The session keys for the RTP or RTCP packets of one direction.
struct SessionKeys {
    let encryption: [UInt8]
    let authentication: [UInt8]
    let salt: [UInt8]
}

/// Key derivation from a master key (RFC 3711, section 4.3).
extension SessionKeys {
    /// The packets that the keys protect; determines the labels of the derivation.
    enum Use {
        case rtp
        case rtcp

        fileprivate var labels: (encryption: UInt8, authentication: UInt8, salt: UInt8) {
            switch self {
            case .rtp: (0, 1, 2)
            case .rtcp: (3, 4, 5)
            }
        }
    }

    /// The key length of HMAC-SHA1 (RFC 3711, section 5.2).
    private static let authenticationKeyByteCount = 20

    init(of master: MasterKey, for use: Use) throws(SRTPFailure) {
        if let reason = apus_load_srtp(master.suite.mode) { throw .noLibrary(String(cString: reason)) }
        let labels = use.labels
        self.init(
            encryption: try Self.derive(labels.encryption, of: master, byteCount: CipherSuite.keyByteCount),
            authentication: try Self.derive(
                labels.authentication, of: master, byteCount: Self.authenticationKeyByteCount),
            salt: try Self.derive(labels.salt, of: master, byteCount: master.suite.saltByteCount))
    }

    /// Derives one key: the AES-CTR key stream for the salt XOR the label; a salt of less than 14 bytes is padded with zeros.
    private static func derive(
        _ label: UInt8, of master: MasterKey, byteCount: Int
    ) throws(SRTPFailure) -> [UInt8] {
        var counter = master.salt + [UInt8](repeating: 0, count: 16 - master.salt.count)
        counter[7] ^= label
        var stream = [UInt8](repeating: 0, count: byteCount)
        guard apus_aes_key_stream(master.key, counter, &stream, byteCount) else { throw .impossible }
        return stream
    }
}

/// The reason why SRTP is not available.
public enum SRTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The library cannot be loaded; contains the dynamic linker's message.
    case noLibrary(String)
    /// The library has no memory, or the host forbids the cipher.
    case impossible

    public var description: String {
        switch self {
        case .noLibrary(let reason): "SRTP needs the packages libssl3 and libgnutls30: \(reason)"
        case .impossible: "SRTP cannot be encrypted on this host"
        }
    }
}

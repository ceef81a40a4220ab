import COpenSSL
import RTP

/// The keys of one direction's packets or reports.
struct SessionKeys {
    let encryption: [UInt8]
    let authentication: [UInt8]
    let salt: [UInt8]
}

/// Deriving them from a master key (RFC 3711, section 4.3).
extension SessionKeys {
    /// What is protected, by the labels of its keys.
    enum Use {
        case packets
        case reports

        fileprivate var labels: (encryption: UInt8, authentication: UInt8, salt: UInt8) {
            switch self {
            case .packets: (0, 1, 2)
            case .reports: (3, 4, 5)
            }
        }
    }

    /// Of HMAC-SHA1 (RFC 3711, section 5.2).
    private static let authenticationKeyByteCount = 20

    init(of master: MasterKey, for use: Use) throws(SRTPFailure) {
        if let reason = apus_load_srtp() { throw .noLibrary(String(cString: reason)) }
        let labels = use.labels
        self.init(
            encryption: try Self.derive(labels.encryption, of: master, byteCount: CipherSuite.keyByteCount),
            authentication: try Self.derive(
                labels.authentication, of: master, byteCount: Self.authenticationKeyByteCount),
            salt: try Self.derive(labels.salt, of: master, byteCount: master.suite.saltByteCount))
    }

    /// The key stream that begins with the salt and the label over it; behind a salt of less than 14 bytes stand zeros.
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

/// Why nothing can be protected.
public enum SRTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// In the dynamic linker's words.
    case noLibrary(String)
    /// There is no memory, or the host forbids it.
    case impossible

    public var description: String {
        switch self {
        case .noLibrary(let reason): "SRTP needs OpenSSL's libcrypto (the package libssl3): \(reason)"
        case .impossible: "OpenSSL cannot encrypt on this host"
        }
    }
}

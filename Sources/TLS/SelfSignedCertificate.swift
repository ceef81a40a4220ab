import COpenSSL

/// A private key and a self-signed certificate. It encrypts as well as any other certificate, but clients cannot verify it; their
/// users must be told to trust it.
public struct SelfSignedCertificate: Sendable {
    /// The certificate as PEM.
    public let certificate: [UInt8]
    /// The private key as PEM, without a passphrase.
    public let key: [UInt8]

    /// A name of the host in the certificate.
    public enum Name: Hashable, Sendable {
        case host(String)
        /// A numeric IPv4 or IPv6 address.
        case address(String)

        public var text: String {
            switch self {
            case .host(let name): name
            case .address(let address): address
            }
        }

        /// The entry of subjectAltName as OpenSSL reads it (x509v3_config).
        fileprivate var entry: String {
            switch self {
            case .host(let name): "DNS:\(name)"
            case .address(let address): "IP:\(address)"
            }
        }
    }

    /// Bytes of each PEM text: a name takes at most 100 bytes, the rest is under 1 KB.
    private static let capacity = 16_384
    /// The maximum length of a common name (X.520).
    private static let maximumNameByteCount = 64

    /// Creates the key and the certificate.
    ///
    /// - Parameters:
    ///   - names: The host's names, at least one; each of letters, digits, hyphens and dots.
    ///   - days: The period of validity in days.
    public init(for names: [Name], days: Int) throws(IdentityFailure) {
        if let reason = apus_load_libssl() { throw .noLibrary(String(cString: reason)) }
        let common = names.first { $0.text.utf8.count <= Self.maximumNameByteCount }?.text ?? "apus"
        var certificate = [CChar](repeating: 0, count: Self.capacity)
        var key = certificate
        guard
            apus_make_certificate(
                common, names.map(\.entry).joined(separator: ","), days, &certificate, &key, Self.capacity)
        else { throw .impossible }
        self.certificate = Self.text(certificate)
        self.key = Self.text(key)
    }

    /// Returns the text before the terminating zero.
    private static func text(_ characters: [CChar]) -> [UInt8] {
        characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }
}

import COpenSSL

/// A key, and a certificate for it that nobody but itself vouches for: encrypts as well as any other, and whoever connects has to
/// be told that it is the right one.
public struct SelfSignedCertificate: Sendable {
    /// PEM.
    public let certificate: [UInt8]
    /// PEM, without a passphrase.
    public let key: [UInt8]

    /// Who a certificate is for.
    public enum Name: Hashable, Sendable {
        case host(String)
        /// Numeric, IPv4 or IPv6.
        case address(String)

        public var text: String {
            switch self {
            case .host(let name): name
            case .address(let address): address
            }
        }

        /// As OpenSSL reads it (x509v3_config).
        fileprivate var entry: String {
            switch self {
            case .host(let name): "DNS:\(name)"
            case .address(let address): "IP:\(address)"
            }
        }
    }

    /// Room for either text: a name takes 100 bytes at most, the rest is under 1 KB.
    private static let capacity = 16_384
    /// What X.520 allows a common name.
    private static let maximumNameByteCount = 64

    /// Makes both.
    ///
    /// - Parameters:
    ///   - names: those of the host, at least one; letters, digits, hyphens and dots.
    ///   - days: for how long it is good.
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

    /// What stands before the zero.
    private static func text(_ characters: [CChar]) -> [UInt8] {
        characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }
}

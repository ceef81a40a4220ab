import COpenSSL

/// The server's certificate, the intermediate certificates and the private key.
///
/// All connections share one OpenSSL context, which counts its references. Any thread may use this object.
// Unchecked because the pointer is set once and OpenSSL locks the SSL_CTX, which is made to be shared.
public final class ServerIdentity: @unchecked Sendable {
    let context: OpaquePointer
    /// The period of validity, in seconds since 1970.
    public let validity: ClosedRange<Int64>

    /// - Parameters:
    ///   - certificates: PEM: the server's certificate, then the intermediate certificates.
    ///   - key: The private key as PEM, without a passphrase.
    public init(certificates: [UInt8], key: [UInt8]) throws(IdentityFailure) {
        if let reason = apus_load_libssl() { throw .noLibrary(String(cString: reason)) }
        var problem = apus_identity_is_impossible
        let context = apus_tls_server(certificates, certificates.count, key, key.count, &problem)
        guard let context else { throw IdentityFailure(problem) }
        self.context = context
        var (first, last): (Int64, Int64) = (0, 0)
        apus_tls_validity(context, &first, &last)
        validity = first...max(first, last)
    }

    deinit {
        apus_tls_context_free(context)
    }
}

/// The reason why a TLS context cannot be created.
public enum IdentityFailure: Error, Hashable, Sendable {
    /// The library cannot be loaded; contains the dynamic linker's message.
    case noLibrary(String)
    case noCertificate
    case noKey
    /// The key is encrypted; there is no terminal to ask for the passphrase.
    case encryptedKey
    /// The key does not belong to the certificate.
    case mismatchedKey
    /// The key is shorter than the host's OpenSSL allows.
    case weakKey
    /// OpenSSL has no memory, or the host forbids it.
    case impossible

    init(_ problem: apus_identity_problem) {
        self =
            switch problem {
            case apus_identity_has_no_certificate: .noCertificate
            case apus_identity_has_no_key: .noKey
            case apus_identity_has_locked_key: .encryptedKey
            case apus_identity_has_other_key: .mismatchedKey
            case apus_identity_has_weak_key: .weakKey
            default: .impossible
            }
    }
}

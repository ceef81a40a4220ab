import COpenSSL

/// What a server proves to clients to be: its certificate, those that vouch for it, and its key.
///
/// OpenSSL's context is one for all connections, and counts its own references: from any thread.
// Unchecked: the pointer is set once, and what it points to is OpenSSL's, which locks it (SSL_CTX is made to be shared).
public final class ServerIdentity: @unchecked Sendable {
    let context: OpaquePointer
    /// From when to when the certificate is good, in seconds since 1970.
    public let validity: ClosedRange<Int64>

    /// - Parameters:
    ///   - certificates: PEM: the server's own first, then those between it and one that clients know.
    ///   - key: PEM, without a passphrase.
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

/// Why there is no identity.
public enum IdentityFailure: Error, Hashable, Sendable {
    /// In the dynamic linker's words.
    case noLibrary(String)
    case noCertificate
    case noKey
    /// It is encrypted, and nobody is there to type the passphrase.
    case encryptedKey
    /// The key belongs to another certificate.
    case mismatchedKey
    /// Shorter than the host's OpenSSL allows.
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

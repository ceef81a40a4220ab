import COpenSSL

/// The certificate and key of this host for DTLS, for any number of connections. Any thread may use this object.
// Unchecked for the reason given at ServerIdentity: the pointer is set once, and OpenSSL locks the context.
public final class DTLSIdentity: @unchecked Sendable {
    let context: OpaquePointer
    /// The SHA-256 digest of the certificate, which the peer is told beforehand (RFC 8122).
    public let fingerprint: [UInt8]

    public init(_ certificate: SelfSignedCertificate) throws(IdentityFailure) {
        if let reason = apus_load_libssl() { throw .noLibrary(String(cString: reason)) }
        let context = apus_dtls_context_make(
            certificate.certificate, certificate.certificate.count, certificate.key, certificate.key.count)
        guard let context else { throw .impossible }
        self.context = context
        var digest = [UInt8](repeating: 0, count: 32)
        guard apus_dtls_own_fingerprint(context, &digest) else { throw .impossible }
        fingerprint = digest
    }

    deinit {
        apus_dtls_context_free(context)
    }
}

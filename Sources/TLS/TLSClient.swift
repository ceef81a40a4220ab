import COpenSSL

/// The TLS settings of clients, for any number of connections. Any thread may use this object.
// Unchecked for the reason given at ServerIdentity: the pointer is set once, and OpenSSL locks the context.
public final class TLSClient: @unchecked Sendable {
    /// Which certificates of servers are accepted.
    public enum Certificates: Hashable, Sendable {
        /// Each: for tests, for measurements of one's own server, and for networks without strangers.
        case any
        /// Those for the name of the host that a certification authority of this host's system has signed.
        case verified
        /// The one with this SHA-256 digest of its DER encoding.
        case fingerprint([UInt8])
    }

    /// The TLS versions that OpenSSL supports, by their numbers on the wire (RFC 8446, section 4.2.1).
    public enum Version: Int32, Comparable, Sendable {
        case tls1_2 = 0x0303
        case tls1_3 = 0x0304

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    let context: OpaquePointer
    let certificates: Certificates

    /// - Parameter versions: The versions to offer.
    public init(
        accepting certificates: Certificates = .any, _ versions: ClosedRange<Version> = .tls1_2 ... .tls1_3
    ) throws(IdentityFailure) {
        if let reason = apus_load_libssl() { throw .noLibrary(String(cString: reason)) }
        let context = apus_tls_client(versions.lowerBound.rawValue, versions.upperBound.rawValue)
        guard let context else { throw .impossible }
        self.context = context
        self.certificates = certificates
    }

    deinit {
        apus_tls_context_free(context)
    }
}

import COpenSSL

/// What a client's end of connections is made with. It believes every certificate: good for tests, and for whoever measures a
/// server of their own. From any thread.
// Unchecked: as ServerIdentity's, the pointer is set once, and OpenSSL locks what it points to.
public final class UnverifiedTLSClient: @unchecked Sendable {
    let context: OpaquePointer

    /// The versions that OpenSSL has, as they are numbered on the wire (RFC 8446, section 4.2.1).
    public enum Version: Int32, Comparable, Sendable {
        case tls1_2 = 0x0303
        case tls1_3 = 0x0304

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// - Parameter versions: those that it offers.
    public init(_ versions: ClosedRange<Version> = .tls1_2 ... .tls1_3) throws(IdentityFailure) {
        if let reason = apus_load_libssl() { throw .noLibrary(String(cString: reason)) }
        let context = apus_tls_client(versions.lowerBound.rawValue, versions.upperBound.rawValue)
        guard let context else { throw .impossible }
        self.context = context
    }

    deinit {
        apus_tls_context_free(context)
    }
}

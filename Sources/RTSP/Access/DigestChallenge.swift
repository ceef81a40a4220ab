/// A Digest challenge (RFC 2617, section 3.2.1; RFC 7616, section 3.3).
public struct DigestChallenge: Hashable, Sendable {
    /// The realm of the passwords, without quotes and backslashes.
    public let realm: String
    public let nonce: String
    public let algorithm: DigestAlgorithm
    /// Whether only the nonce of the last credentials was invalid: the client can answer without asking its user again.
    public let isStale: Bool
    /// Whether the client is asked to count its requests (`qop=auth`).
    let offersProtection: Bool

    /// - Parameter offersProtection: `nil` for what clients of RTSP support: only with SHA-256.
    public init(
        realm: String, nonce: String, algorithm: DigestAlgorithm = .md5, isStale: Bool = false,
        offersProtection: Bool? = nil
    ) {
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        self.isStale = isStale
        self.offersProtection = offersProtection ?? (algorithm == .sha256)
    }

    /// The value of `WWW-Authenticate`.
    ///
    /// live555 reads it by position: realm, nonce, stale, and no other challenge before it. Therefore MD5, the default, is not
    /// named, and over RTSP `qop` is offered only with SHA-256, because every client that supports SHA-256 also supports `qop`.
    public var headerValue: String {
        var value = "Digest realm=\"\(realm)\", nonce=\"\(nonce)\""
        if isStale { value += ", stale=true" }
        if algorithm == .sha256 { value += ", algorithm=SHA-256" }
        if offersProtection { value += ", qop=\"auth\"" }
        return value
    }
}

/// What a client must answer to show that it knows a password (RFC 2617, section 3.2.1; RFC 7616, section 3.3).
public struct DigestChallenge: Hashable, Sendable {
    /// What the passwords are for; without quotes and backslashes.
    public let realm: String
    public let nonce: String
    public let algorithm: DigestAlgorithm
    /// Whether the answer was right but for its nonce: the client may answer this one without asking anybody.
    public let isStale: Bool

    public init(realm: String, nonce: String, algorithm: DigestAlgorithm = .md5, isStale: Bool = false) {
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        self.isStale = isStale
    }

    /// The value of `WWW-Authenticate`.
    ///
    /// live555 reads it by position: realm, nonce, stale, and no other challenge before it. For the same reason MD5, which is
    /// meant where nothing is said, is not named, and no `qop` is offered with it: who knows SHA-256 knows that, too.
    public var headerValue: String {
        var value = "Digest realm=\"\(realm)\", nonce=\"\(nonce)\""
        if isStale { value += ", stale=true" }
        if algorithm == .sha256 { value += ", algorithm=SHA-256, qop=\"auth\"" }
        return value
    }
}

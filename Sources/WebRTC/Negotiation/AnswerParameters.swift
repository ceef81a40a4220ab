/// What the server puts into an answer besides the media.
public struct AnswerParameters: Sendable {
    /// The server's credentials of ICE for this session.
    public var credentials: ICECredentials
    /// The hash of the server's certificate.
    public var fingerprint: DTLSFingerprint
    /// Where the server can be reached. All are in the answer, because the server sends none later.
    public var candidates: [ICECandidate]
    /// A random number, which names the session in `o=` (RFC 8829, section 5.2.1).
    public var sessionID: UInt64
    /// The name that the receiver gives to the media together, such as the path: letters, digits and `-`.
    public var streamName: String
    /// The name that all sources of the server have in this session (RFC 7022).
    public var canonicalName: String

    public init(
        credentials: ICECredentials, fingerprint: DTLSFingerprint, candidates: [ICECandidate], sessionID: UInt64,
        streamName: String = "apus", canonicalName: String = "apus"
    ) {
        (self.credentials, self.fingerprint) = (credentials, fingerprint)
        (self.candidates, self.sessionID) = (candidates, sessionID)
        (self.streamName, self.canonicalName) = (streamName, canonicalName)
    }
}

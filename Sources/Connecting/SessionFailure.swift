/// Why a session with another server has failed, whatever its protocol.
public struct SessionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What it means for the next attempt.
    public enum Kind: Hashable, Sendable {
        /// The server requires a user and a password.
        case passwordRequired
        /// The server does not accept user and password, or the user may not do this.
        case wrongPassword
        /// The server's certificate is not accepted. Without a certificate, the fingerprint is empty.
        case untrustedCertificate(fingerprint: [UInt8])
        /// Connections to the server's address are not permitted here.
        case deniedDestination
        /// The server supports only other transports of media.
        case unsupportedTransport
        /// The server refuses, and will hardly change its mind soon.
        case refused
        /// Another attempt may succeed.
        case other
    }

    public let reason: String
    public let kind: Kind
    /// After how many seconds the server wants to be asked again; `nil` if it does not say.
    public let retrySeconds: Int?

    public init(_ reason: String, _ kind: Kind = .other, retrySeconds: Int? = nil) {
        (self.reason, self.kind, self.retrySeconds) = (reason, kind, retrySeconds)
    }

    public var description: String { reason }
}

extension SessionFailure {
    /// A connection that was not established, or was lost.
    public init(_ failure: ConnectionFailure) {
        let kind: Kind =
            switch failure {
            case .insecure(.untrusted(_, let fingerprint)): .untrustedCertificate(fingerprint: fingerprint)
            case .deniedDestination: .deniedDestination
            default: .other
            }
        self.init(failure.description, kind)
    }
}

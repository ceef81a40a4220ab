import Media
import RTSP
import Reactor
import SRT

/// A caller whose handshake has been accepted, and what it may do.
struct Handshake: Sendable {
    /// Whether the caller's request is permitted.
    enum Access: Sendable {
        case granted(Grant)
        /// The external service must decide. Until then nothing is sent, received or created.
        case undecided(ExternalAuthorisationRequest)
    }

    let peer: SocketAddress
    /// The bytes of the stream id.
    let streamID: [UInt8]
    /// What the caller wants: to read or to publish.
    let right: Right
    let path: String
    let access: Access
    /// The state of the caller's authentication, to follow changes of the policy; `nil` without a policy.
    let authenticator: Authenticator?
    let options: SRTConnectionOptions
    let acceptedAt: MonotonicTime
}

/// Why a caller is rejected.
struct HandshakeRefusal: Error {
    let rejection: SRTRejection
    /// For the log.
    let reason: String
    let kind: ServiceLogKind
    /// The path, if the caller named one that can be logged.
    var path: String?

    init(_ rejection: SRTRejection, _ kind: ServiceLogKind, _ reason: String, path: String? = nil) {
        (self.rejection, self.kind, self.reason, self.path) = (rejection, kind, reason, path)
    }
}

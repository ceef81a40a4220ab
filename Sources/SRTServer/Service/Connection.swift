import Delivery
import Media
import RTSP
import Reactor
import Streams

/// A connection of the server, and what its client does. Confined to the thread of SRT.
final class Connection {
    enum Role {
        /// The external service must decide.
        case undecided(ExternalAuthorisationRequest)
        /// The path of a publisher is being created.
        case creating(Grant)
        /// A viewer waits for the first media of a stream.
        case waiting(Waiting)
        case publishing(Publisher)
        case viewing(Viewer, TransportAudience)
        case closed
    }

    /// A viewer that waits.
    struct Waiting {
        let path: OfferedPath
        let grant: Grant
        /// When it is given up.
        let deadline: MonotonicTime
        /// Makes the source of an on-demand stream run.
        let use: StreamUse
        /// Makes the stream exist in which tracks are encoded again.
        var companionUse: StreamUse?
    }

    let socket: SRTSocket
    let handshake: Handshake
    /// Names the connection for the external authoriser; it cannot be guessed.
    let name =
        "\(String(UInt64.random(in: .min ... .max), radix: 16))\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let startedAt: MonotonicTime
    var role: Role
    var authenticator: Authenticator?
    /// The policy by which the client was granted what it does.
    private var former: AccessPolicy?
    /// Increases with each role, so that late answers are recognised.
    var stepNumber = 0

    init(_ socket: SRTSocket, _ handshake: Handshake, at now: MonotonicTime) {
        (self.socket, self.handshake, startedAt) = (socket, handshake, now)
        (authenticator, former) = (handshake.authenticator, handshake.authenticator?.policy)
        role = .closed
    }

    var peer: SocketAddress { handshake.peer }
    var path: String { handshake.path }
    /// How status, events and log name the transport.
    var transport: String {
        handshake.options.passphrase == nil ? SRTService.transportName : SRTService.transportName + ", encrypted"
    }
    var publisher: Publisher? { if case .publishing(let publisher) = role { publisher } else { nil } }
    var viewer: Viewer? { if case .viewing(let viewer, _) = role { viewer } else { nil } }

    /// What the client was granted; `nil` before the external service has decided.
    var grant: Grant? {
        switch role {
        case .creating(let grant): grant
        case .waiting(let waiting): waiting.grant
        case .publishing(let publisher): publisher.grant
        case .viewing(let viewer, _): viewer.grant
        case .undecided, .closed: nil
        }
    }

    /// The stream that the client watches, or waits for.
    var viewedStream: Streams.Stream? {
        switch role {
        case .waiting(let waiting): waiting.path.stream
        case .viewing(let viewer, _): viewer.path.stream
        default: nil
        }
    }

    /// Whether what the client was granted is still permitted by a policy.
    func isPermitted(by policy: AccessPolicy?) -> Bool {
        guard let grant, let policy else { return true }
        guard let authenticator else {
            // There was no policy when it connected.
            return !policy.requiresAuthentication(
                of: Endpoint(address: peer.host, isLoopback: peer.isLoopback), for: handshake.right)
        }
        let current = authenticator.applying(policy)
        self.authenticator = current
        return current.admits(grant, handshake.right, path, since: former)
    }

    /// The client, as events describe it.
    func eventClient(_ grant: Grant) -> StreamEvent.Client {
        StreamEvent.Client(peer: "\(peer)", name: nil, transport: transport, user: grant.user)
    }
}

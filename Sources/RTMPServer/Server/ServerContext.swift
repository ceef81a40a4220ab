import Delivery
import Logging
import RTMP
import RTSP
import Reactor
import Streams
import Synchronization
import TLS

/// What all loops of the server share. Thread-safe.
final class ServerContext: Sendable {
    private struct State {
        var services: (any RTMPSharedServices)?
        var identity: ServerIdentity?
        var inboxes: [LoopInbox] = []
    }

    let options: ServerOptions
    let log: ServiceLog
    let challenges: AdobeChallenges
    let fastStartBudget: MemoryBudget
    private let state: Mutex<State>

    init(_ options: ServerOptions, _ logger: Logger) {
        self.options = options
        log = ServiceLog(logger)
        challenges = AdobeChallenges { .random(in: .min ... .max) }
        fastStartBudget = MemoryBudget(maximumByteCount: options.maximumFastStartByteCount)
        state = Mutex(State(identity: options.tls?.identity))
    }

    /// What is shared with other servers. Nothing is served before it is set.
    var services: any RTMPSharedServices {
        get {
            guard let services = state.withLock(\.services) else {
                preconditionFailure("the server is connected to the others before it starts")
            }
            return services
        }
        set { state.withLock { $0.services = newValue } }
    }

    /// The certificate for new connections; `nil` without TLS.
    var identity: ServerIdentity? {
        get { state.withLock(\.identity) }
        set { state.withLock { $0.identity = newValue } }
    }

    /// HMAC-SHA-256, for the digests in handshakes; `nil` without an access policy, or if this host has no hash functions.
    var authenticationCode: AuthenticationCode? {
        services.access.policy?.hashes.map { hashes in { hashes.authenticationCode(of: $0, key: $1) } }
    }

    /// A loop has a service.
    func add(_ inbox: LoopInbox) { state.withLock { $0.inboxes.append(inbox) } }

    /// The loop with the fewest connections.
    var leastLoaded: LoopInbox? { state.withLock { $0.inboxes.min { $0.load < $1.load } } }
}

import Delivery
import Logging
import RTSP
import Streams
import Synchronization
import TLS

/// What all loops of the server share. Thread-safe.
final class ServerContext: Sendable {
    private struct State {
        var services: (any WebRTCSharedServices)?
        var identity: DTLSIdentity?
        var inboxes: [LoopInbox] = []
    }

    let options: ServerOptions
    let log: ServiceLog
    let pending: PendingSessions
    /// The canonical name in all our reports: random, as RFC 7022 recommends.
    let canonicalName = "apus-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    private let state = Mutex(State())

    init(_ options: ServerOptions, _ logger: Logger) {
        self.options = options
        log = ServiceLog(logger)
        pending = PendingSessions(
            maximumCount: options.maximumPendingSessions, maximumPerHost: options.maximumPendingPerAddress)
    }

    /// What is shared with other servers. Nothing is served before it is set.
    var services: any WebRTCSharedServices {
        get {
            guard let services = state.withLock(\.services) else {
                preconditionFailure("the server is connected to the others before it starts")
            }
            return services
        }
        set { state.withLock { $0.services = newValue } }
    }

    /// Days for which the certificate is valid: it is made at each start.
    private static let certificateDays = 365

    /// The certificate of this run, which is made when it is first needed: OpenSSL takes 6 MB of memory.
    func identity() throws(IdentityFailure) -> DTLSIdentity {
        try state.withLock { (state) throws(IdentityFailure) in
            if let identity = state.identity { return identity }
            let identity = try DTLSIdentity(SelfSignedCertificate(for: [.host("apus")], days: Self.certificateDays))
            state.identity = identity
            return identity
        }
    }

    /// A loop has a service.
    func add(_ inbox: LoopInbox) { state.withLock { $0.inboxes.append(inbox) } }

    /// The loops in the order of their numbers.
    var inboxes: [LoopInbox] { state.withLock(\.inboxes) }
}

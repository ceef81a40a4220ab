import Delivery
import RTSP
import Reactor
import Synchronization

/// What other threads have for the service of one loop. Thread-safe.
final class LoopInbox: Sendable {
    /// An accepted socket. The taker owns it.
    struct Accepted: Sendable {
        let fd: Int32
        let peer: SocketAddress
        let security: ConnectionSecurity
    }

    /// Something that has been decided or has happened elsewhere, for a connection that may be gone by then.
    struct Notice: Sendable {
        enum Content: Sendable {
            /// The external service has decided.
            case decided(AccessDecision)
            /// The path of a publisher has been created; or why not.
            case pathCreated(refusal: String?)
            /// A publication was ended.
            case publicationEnded(Publication.End)
        }

        let connection: Token
        /// What it is about: ``Connection/stepNumber`` when it was asked for.
        let step: Int
        let content: Content
    }

    let accepted: Mailbox<Accepted>
    let notices: Mailbox<Notice>
    private let connections = Atomic(0)

    init(at place: LoopPlace) {
        (accepted, notices) = (place.makeMailbox(), place.makeMailbox())
    }

    /// Connections of the loop, including those that wait here.
    var load: Int { connections.load(ordering: .relaxed) }

    func put(_ client: Accepted) {
        connections.add(1, ordering: .relaxed)
        accepted.put(client)
    }

    /// Uncounts a connection that has closed.
    func connectionClosed() { connections.subtract(1, ordering: .relaxed) }
}

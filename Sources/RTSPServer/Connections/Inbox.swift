import Delivery
import RTSP
import Reactor
import Synchronization

/// Carries accepted connections to the loop that will serve them, and counts those that it serves. Thread-safe.
final class Inbox: Sendable {
    /// An accepted socket. The taker owns it.
    struct Accepted: Sendable {
        let fd: Int32
        let peer: SocketAddress
        /// Whether TLS begins at once.
        let security: ConnectionSecurity
    }

    private let mailbox: Mailbox<Accepted>
    private let connections = Atomic(0)

    init(waking loop: EventLoop) {
        mailbox = Mailbox(waking: loop)
    }

    /// Connections of the loop, including those that wait here.
    var load: Int { connections.load(ordering: .relaxed) }

    /// Whether no accepted socket waits here.
    var isEmpty: Bool { mailbox.isEmpty }

    func put(_ accepted: Accepted) {
        connections.add(1, ordering: .relaxed)
        mailbox.put(accepted)
    }

    /// Takes the sockets that have waited longest, at most `maximumCount`.
    func take(upTo maximumCount: Int) -> [Accepted] { mailbox.take(upTo: maximumCount) }

    /// Uncounts a connection that has closed.
    func connectionClosed() {
        connections.subtract(1, ordering: .relaxed)
    }
}

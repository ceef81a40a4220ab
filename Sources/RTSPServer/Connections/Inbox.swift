import RTSP
import Reactor
import Synchronization

/// Carries accepted connections to the loop that will serve them. Thread-safe.
final class Inbox: Sendable {
    /// An accepted socket. The taker owns it.
    struct Accepted: Sendable {
        let fd: Int32
        let peer: SocketAddress
        /// Whether TLS begins at once.
        let security: ConnectionSecurity
    }

    private let waiting = Mutex<[Accepted]>([])
    private let connections = Atomic(0)

    /// Connections of the loop, including those that wait here.
    var load: Int { connections.load(ordering: .relaxed) }

    func put(_ accepted: Accepted) {
        connections.add(1, ordering: .relaxed)
        waiting.withLock { $0.append(accepted) }
    }

    /// Whether no accepted socket waits here.
    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    /// Takes the sockets that have waited longest, at most `maximumCount`.
    func take(upTo maximumCount: Int) -> [Accepted] {
        waiting.withLock { waiting in
            let taken = Array(waiting.prefix(maximumCount))
            waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Uncounts a connection that has closed.
    func connectionClosed() {
        connections.subtract(1, ordering: .relaxed)
    }
}

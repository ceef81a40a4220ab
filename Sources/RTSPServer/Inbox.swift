import RTSP
import Reactor
import Synchronization

/// How accepted connections reach the loop that serves them. From any thread.
final class Inbox: Sendable {
    /// An accepted socket, owned by whoever takes it.
    struct Accepted: Sendable {
        let fd: Int32
        let peer: SocketAddress
        /// Whether TLS is to begin at once.
        let security: ConnectionSecurity
    }

    private let waiting = Mutex<[Accepted]>([])
    private let connections = Atomic(0)

    /// Connections of the loop, those that wait here included.
    var load: Int { connections.load(ordering: .relaxed) }

    func put(_ accepted: Accepted) {
        connections.add(1, ordering: .relaxed)
        waiting.withLock { $0.append(accepted) }
    }

    /// Whether accepted sockets wait here.
    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    /// Takes the sockets that have waited longest, at most `maximumCount`.
    func take(upTo maximumCount: Int) -> [Accepted] {
        waiting.withLock { waiting in
            let taken = Array(waiting.prefix(maximumCount))
            waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// A connection has gone.
    func connectionClosed() {
        connections.subtract(1, ordering: .relaxed)
    }
}

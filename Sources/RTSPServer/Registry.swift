import Media
import RTSP
import Reactor
import Synchronization

/// What all loops share of who is connected: counts against limits, and client ports that are taken. From any thread.
final class Registry: Sendable {
    private struct State {
        var connections: ConnectionCounts
        var viewerCount = 0
        var destinations: Set<SocketAddress> = []
        var lastStreamID: UInt16 = 0
        /// When a viewer came or left last, or the last of a crowd of connections closed; `nil` once the heap was trimmed
        /// after it.
        var lastChange: MonotonicTime?
        /// Connections that have closed since the heap was trimmed.
        var closedCount = 0
    }

    private let state: Mutex<State>
    private let maximumViewers: Int

    init(limits: ConnectionLimits, maximumViewers: Int) {
        state = Mutex(State(connections: ConnectionCounts(limits: limits)))
        self.maximumViewers = maximumViewers
    }

    /// Connections that were admitted and have not closed.
    var connectionCount: Int { state.withLock { $0.connections.total } }

    /// Counts a connection that was accepted, unless one of the limits forbids it.
    func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) throws(ConnectionRefusal) {
        try state.withLock { state throws(ConnectionRefusal) in try state.connections.admit(peer, security) }
    }

    /// The TLS handshake of a connection is complete, or its connection has closed before that.
    func handshakeEnded() {
        state.withLock { $0.connections.handshakeEnded() }
    }

    /// As many connections leave memory behind that is worth a trim, 44 KB each with TLS; single ones, such as those of
    /// health checks, do not.
    private static let crowd = 32

    /// A connection that was admitted has gone.
    func left(_ peer: SocketAddress) {
        state.withLock { state in
            state.connections.remove(peer)
            state.closedCount += 1
            if state.closedCount >= Self.crowd { state.lastChange = .now() }
        }
    }

    /// One more session; false if there are enough.
    func admitViewer() -> Bool {
        state.withLock { state in
            guard state.viewerCount < maximumViewers else { return false }
            state.viewerCount += 1
            state.lastChange = .now()
            return true
        }
    }

    func viewerLeft() {
        state.withLock { state in
            state.viewerCount -= 1
            state.lastChange = .now()
        }
    }

    /// Whether a crowd has left memory behind, of those who have gone or of the preludes of those who came, the last of them
    /// `nanoseconds` ago. True once.
    func isTrimDue(at now: MonotonicTime, after nanoseconds: Int64) -> Bool {
        state.withLock { state in
            guard let change = state.lastChange, now - change >= nanoseconds else { return false }
            state.lastChange = nil
            state.closedCount = 0
            return true
        }
    }

    /// Takes a client's address and port for one session; false if another has it: two never share one.
    func take(_ destinations: [SocketAddress]) -> Bool {
        state.withLock { state in
            guard state.destinations.isDisjoint(with: destinations) else { return false }
            state.destinations.formUnion(destinations)
            return true
        }
    }

    /// Gives back one session's addresses `old` for `new`; false, with nothing changed, if another has one of those.
    func exchange(_ old: [SocketAddress], for new: [SocketAddress]) -> Bool {
        state.withLock { state in
            guard new.allSatisfy({ old.contains($0) || !state.destinations.contains($0) }) else { return false }
            state.destinations.subtract(old)
            state.destinations.formUnion(new)
            return true
        }
    }

    /// A number for a session that names its stream by one: every other session has another, for the next 65 534.
    func nextStreamID() -> UInt16 {
        state.withLock { state in
            state.lastStreamID = state.lastStreamID == .max ? 1 : state.lastStreamID + 1
            return state.lastStreamID
        }
    }

    func release(_ destinations: [SocketAddress]) {
        state.withLock { $0.destinations.subtract(destinations) }
    }
}

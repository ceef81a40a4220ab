import Media
import RTSP
import Reactor
import Streams
import Synchronization

/// Counts that all loops share: connections and viewers against limits, and client ports in use. Thread-safe.
final class Registry: Sendable {
    private struct State {
        var connections: ConnectionCounts
        var viewerCount = 0
        var destinations: Set<SocketAddress> = []
        var lastStreamID: UInt16 = 0
        var viewerIDs: ViewerIDs
        var losses = LossMemory()
        /// When a viewer last came or left, a stream was removed, or the last of many connections closed; `nil` once the heap was trimmed
        /// after that.
        var lastChange: MonotonicTime?
        /// Connections that have closed since the heap was trimmed.
        var closedCount = 0
    }

    private let state: Mutex<State>
    private let maximumViewers: Int

    init(limits: ConnectionLimits, maximumViewers: Int) {
        state = Mutex(
            State(
                connections: ConnectionCounts(limits: limits), viewerIDs: ViewerIDs(after: WallClock.unixNanoseconds()))
        )
        self.maximumViewers = maximumViewers
    }

    /// Connections that were admitted and have not closed.
    var connectionCount: Int { state.withLock { $0.connections.total } }

    /// Counts a connection that was accepted, unless one of the limits forbids it.
    func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) throws(ConnectionRefusal) {
        try state.withLock { state throws(ConnectionRefusal) in try state.connections.admit(peer, security) }
    }

    /// Uncounts an unfinished TLS handshake, because it is complete or its connection has closed.
    func handshakeEnded() {
        state.withLock { $0.connections.handshakeEnded() }
    }

    /// The number of closed connections that leave enough memory behind for a trim, 44 KB each with TLS. Single ones, such as
    /// health checks, do not.
    private static let crowd = 32

    /// Uncounts a connection that has closed.
    func left(_ peer: SocketAddress) {
        state.withLock { state in
            state.connections.remove(peer)
            state.closedCount += 1
            if state.closedCount >= Self.crowd { state.lastChange = .now() }
        }
    }

    /// Counts one more session; false if the limit is reached.
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

    /// A stream has been removed, with the media that it kept.
    func streamRemoved() {
        state.withLock { $0.lastChange = .now() }
    }

    /// Whether many connections, viewers or streams have left memory behind, the last of them `nanoseconds` ago; fast starts of joining
    /// viewers count too. It returns true only once.
    func isTrimDue(at now: MonotonicTime, after nanoseconds: Int64) -> Bool {
        state.withLock { state in
            guard let change = state.lastChange, now - change >= nanoseconds else { return false }
            state.lastChange = nil
            state.closedCount = 0
            return true
        }
    }

    /// Reserves a client's addresses for one session; false if another session has one of them.
    func take(_ destinations: [SocketAddress]) -> Bool {
        state.withLock { state in
            guard state.destinations.isDisjoint(with: destinations) else { return false }
            state.destinations.formUnion(destinations)
            return true
        }
    }

    /// Replaces one session's addresses `old` by `new`; false, with nothing changed, if another session has one of those.
    func exchange(_ old: [SocketAddress], for new: [SocketAddress]) -> Bool {
        state.withLock { state in
            guard new.allSatisfy({ old.contains($0) || !state.destinations.contains($0) }) else { return false }
            state.destinations.subtract(old)
            state.destinations.formUnion(new)
            return true
        }
    }

    /// A session over UDP has ended.
    func sessionEnded(
        _ outcome: LossMemory.Outcome, of peer: SocketAddress, _ userAgent: String?, at now: MonotonicTime
    ) {
        state.withLock { $0.losses.ended(outcome, host: peer, userAgent: userAgent, at: now) }
    }

    /// Whether a client is referred to TCP, because its last sessions over UDP lost too many packets.
    func refersToTCP(_ peer: SocketAddress, _ userAgent: String?, at now: MonotonicTime) -> Bool {
        state.withLock { $0.losses.refersToTCP(host: peer, userAgent: userAgent, at: now) }
    }

    /// A client that was referred to TCP has left without having tried it.
    func declinedTCP(_ peer: SocketAddress, _ userAgent: String?) {
        state.withLock { $0.losses.declinedTCP(host: peer, userAgent: userAgent) }
    }

    /// Whether clients of a host have lost packets lately.
    func hasLost(at peer: SocketAddress, _ now: MonotonicTime) -> Bool {
        state.withLock { $0.losses.hasLost(at: peer, now) }
    }

    /// A number for a session that names its stream by a number. It repeats after 65 535 sessions.
    func nextStreamID() -> UInt16 {
        state.withLock { state in
            state.lastStreamID = state.lastStreamID == .max ? 1 : state.lastStreamID + 1
            return state.lastStreamID
        }
    }

    /// The name of a new viewer.
    func nextViewerID() -> ViewerID { state.withLock { $0.viewerIDs.next() } }

    func release(_ destinations: [SocketAddress]) {
        state.withLock { $0.destinations.subtract(destinations) }
    }
}

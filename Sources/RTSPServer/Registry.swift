import Media
import Reactor
import Synchronization

/// What all loops share of who is connected: counts against limits, and client ports that are taken. From any thread.
final class Registry: Sendable {
    private struct State {
        var connectionsByHost: [SocketAddress: Int] = [:]
        var viewerCount = 0
        var destinations: Set<SocketAddress> = []
        var lastStreamID: UInt16 = 0
        /// When a viewer came or left last; `nil` once the heap was trimmed after it.
        var lastChange: MonotonicTime?
    }

    private let state = Mutex(State())
    private let maximumConnectionsPerAddress: Int
    private let maximumViewers: Int

    init(maximumConnectionsPerAddress: Int, maximumViewers: Int) {
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        self.maximumViewers = maximumViewers
    }

    /// A connection came; false if its address has too many. Loopback is exempt.
    func admit(_ peer: SocketAddress) -> Bool {
        state.withLock { state in
            let host = peer.with(port: 0)
            let count = state.connectionsByHost[host, default: 0]
            guard peer.isLoopback || count < maximumConnectionsPerAddress else { return false }
            state.connectionsByHost[host] = count + 1
            return true
        }
    }

    /// A connection that was admitted has gone.
    func left(_ peer: SocketAddress) {
        state.withLock { state in
            let host = peer.with(port: 0)
            let count = state.connectionsByHost[host, default: 1] - 1
            state.connectionsByHost[host] = count > 0 ? count : nil
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

import Reactor
import Synchronization

/// Counts the sessions whose handshake is not complete, so that offers without a client cost little memory. Thread-safe.
final class PendingSessions: Sendable {
    private struct Counts {
        var total = 0
        var byHost: [SocketAddress: Int] = [:]
    }

    private let maximumCount: Int
    private let maximumPerHost: Int
    private let counts = Mutex(Counts())

    init(maximumCount: Int, maximumPerHost: Int) {
        (self.maximumCount, self.maximumPerHost) = (maximumCount, maximumPerHost)
    }

    /// Counts a session of this host; false if there are too many.
    func admit(_ host: SocketAddress) -> Bool {
        let host = host.ipv6Network ?? host.with(port: 0)
        return counts.withLock { counts in
            guard counts.total < maximumCount, counts.byHost[host, default: 0] < maximumPerHost else { return false }
            counts.total += 1
            counts.byHost[host, default: 0] += 1
            return true
        }
    }

    /// Uncounts a session, because its handshake is complete, or it has ended.
    func remove(_ host: SocketAddress) {
        let host = host.ipv6Network ?? host.with(port: 0)
        counts.withLock { counts in
            counts.total -= 1
            counts.byHost[host, default: 1] -= 1
            if counts.byHost[host] == 0 { counts.byHost[host] = nil }
        }
    }
}

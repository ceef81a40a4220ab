import Logging
import Media
import RTSP
import Reactor
import Serving
import Synchronization

/// The thread that accepts connections and hands each to the loop that has the fewest.
///
/// Without free descriptors it pauses, so that connected viewers continue and no processor time is wasted on attempts.
final class Acceptor: EventLoopHandler {
    private struct State: ~Copyable {
        let listener: Listener
        /// When accepting continues, if it is paused.
        var pausedUntil: MonotonicTime?
        var refusalLog = LogRateLimiter.oncePerMinute
        var failureLog = LogRateLimiter.oncePerMinute
    }

    /// The time after the last viewer has left until unused memory is returned to the host, in nanoseconds.
    private static let trimDelay: Int64 = 3_000_000_000
    /// The pause after running out of descriptors, in nanoseconds.
    private static let pause: Int64 = 100_000_000
    private static let token = Token(rawValue: 1)
    /// Connections accepted in one turn, which take about a millisecond. A flood must not keep the thread from trimming memory
    /// and from stopping.
    static let connectionsPerTurn = 64

    let port: UInt16
    /// Whether this port is for TLS.
    let security: ConnectionSecurity
    private let loop: EventLoop
    private let inboxes: [Inbox]
    private let registry: Registry
    private let logger: Logger
    private let state: Mutex<State>

    init(
        listener: consuming Listener, security: ConnectionSecurity, inboxes: [Inbox], registry: Registry,
        logger: Logger
    ) throws(SystemError) {
        loop = try EventLoop(name: security == .tls ? "apus-accept-tls" : "apus-accept")
        port = listener.localAddress?.port ?? 0
        self.security = security
        self.inboxes = inboxes
        self.registry = registry
        self.logger = logger
        try loop.add(listener.fd, .read, token: Self.token)
        state = Mutex(State(listener: listener))
    }

    func start() throws(SystemError) {
        try loop.start(self)
    }

    /// Stops accepting. The listener closes with this object.
    func stop() {
        loop.stop()
        loop.join()
    }

    /// Returns once its loop has turned.
    func turned() async {
        await loop.turned()
    }

    func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        // This thread serves no viewer, so the few milliseconds of trimming delay no frame.
        if registry.isTrimDue(at: now, after: Self.trimDelay) { Heap.trim() }
        return state.withLock { state in
            acceptAll(&state, at: now)
            return min(state.pausedUntil ?? .distantFuture, now + Self.trimDelay)
        }
    }

    private func acceptAll(_ state: inout State, at now: MonotonicTime) {
        if let pausedUntil = state.pausedUntil {
            guard now >= pausedUntil else { return }
            state.pausedUntil = nil
            // The listener is open: this cannot fail.
            try? loop.add(state.listener.fd, .read, token: Self.token)
        }
        do {
            // The listener stays readable: the next turn comes at once.
            for _ in 0..<Self.connectionsPerTurn {
                guard let accepted = try state.listener.accept() else { return }
                handOver(accepted, &state.refusalLog, at: now)
            }
        } catch {
            loop.remove(state.listener.fd)
            state.pausedUntil = now + Self.pause
            logger.log(
                .error, "cannot accept connections for now", metadata: ["reason": "\(error)"],
                within: &state.failureLog, at: now)
        }
    }

    private func handOver(
        _ accepted: consuming AcceptedConnection, _ refusalLog: inout LogRateLimiter, at now: MonotonicTime
    ) {
        let peer = accepted.peer
        do {
            try registry.admit(peer, security)
        } catch {
            logger.log(
                .warning, "connection refused: \(error)", metadata: ["peer": "\(peer)"], within: &refusalLog, at: now)
            return
        }
        guard let inbox = inboxes.min(by: { $0.load < $1.load }) else { return }
        let fd = accepted.takeSocket().takeDescriptor().release()
        inbox.put(Inbox.Accepted(fd: fd, peer: peer, security: security))
    }
}

import CLinux
import Media
import Reactor

/// One socket for RTP packets, and the batch of datagrams that it sends next. Confined to its loop.
///
/// The socket is either the RTP socket of the ports, which all clients share, or a separate one for some clients.
final class UDPSender {
    let batch: SendBatch
    /// Whether all clients of the ports share the socket.
    let isShared: Bool
    /// The routes of a separate socket. They are weak references because sessions end without notice.
    private(set) var routes: [WeakRoute] = []

    /// When `UDPPorts.turn` is to check a separate socket next.
    var nextCheck = MonotonicTime.distantFuture

    private unowned let ports: UDPPorts
    /// A separate socket; `nil` for the RTP socket of the ports.
    private let socket: UDPSocket?
    /// The buffer of a separate socket, in bytes, as the kernel counts them.
    private let capacityByteCount: Int
    private var obstacle: Obstacle?
    /// What a separate socket has sent since it was stuck or made.
    private var probation: Probation

    private enum Obstacle {
        /// The socket's buffer has been full since then.
        case fullBuffer(since: MonotonicTime)
        /// The kernel has no memory, or a device's queue is full. The socket stays writable, so sending is retried soon.
        case congestion
    }

    private struct Probation {
        var start: MonotonicTime
        var octetCount = 0
        /// Whether the socket has been stuck since it was made.
        var wasStuck = false
    }

    struct WeakRoute {
        weak var route: UDPRoute?
    }

    /// How long a buffer may be full before the socket counts as stuck, in nanoseconds.
    ///
    /// A link of 100 Mbit/s empties half of the smallest usual buffer (212 992 bytes) in 17 ms, and the socket is writable again
    /// then. A slow network device may interrupt viewers behind other devices for at most 100 ms, of which up to 40 ms are the wait
    /// for the next frame.
    static let stuckDelay: Int64 = 20_000_000

    /// Creates the sender for the shared socket of `ports`.
    init(sharedBy ports: UDPPorts) {
        self.ports = ports
        socket = nil
        capacityByteCount = 0
        isShared = true
        batch = SendBatch()
        probation = Probation(start: MonotonicTime(nanoseconds: 0))
    }

    /// Creates the sender for a separate socket of `ports`.
    init(_ socket: consuming UDPSocket, of ports: UDPPorts, at now: MonotonicTime, nextCheck: MonotonicTime) {
        self.ports = ports
        self.nextCheck = nextCheck
        capacityByteCount = socket.sendBufferByteCount
        self.socket = consume socket
        isShared = false
        batch = SendBatch(capacity: .separate)
        probation = Probation(start: now)
    }

    /// Whether nothing is sent for now.
    var isBlocked: Bool { obstacle != nil }

    /// Whether a full buffer blocks it.
    var isWaitingForRoom: Bool {
        if case .fullBuffer = obstacle { true } else { false }
    }

    /// When a full buffer counts as stuck; `nil` if the buffer is not full.
    var stuckAt: MonotonicTime? {
        if case .fullBuffer(let start) = obstacle { start + Self.stuckDelay } else { nil }
    }

    /// Whether a slow device holds the buffer.
    func isStuck(at now: MonotonicTime) -> Bool { stuckAt.map { $0 <= now } ?? false }

    /// The socket can take more, or should be retried.
    func becameWritable() { obstacle = nil }

    /// The socket's buffer is full.
    func becameFull(at now: MonotonicTime) {
        obstacle = .fullBuffer(since: now)
        retry(after: isShared ? Self.stuckDelay : UDPPorts.retryInterval, from: now)
    }

    /// Counts a message in the batch with this many payload octets.
    func count(octets: Int) { probation.octetCount += octets }
}

// MARK: - Sending

extension UDPSender {
    /// Hands the batch to the kernel.
    ///
    /// - Returns: the messages that the kernel did not take, the newest first.
    func flush(_ statistics: inout DeliveryStatistics, at now: MonotonicTime) -> [SendBatch.UnsentMessage] {
        var unsent: [SendBatch.UnsentMessage] = []
        while batch.messageCount > 0 {
            statistics.systemCalls += 1
            unsent += process(send(batch.pending), &statistics, at: now)
        }
        return unsent
    }

    /// Handles the result of a send. Afterwards fewer messages are in the batch, or none if the socket is blocked.
    ///
    /// - Returns: the messages that the kernel did not take, if it takes no more now.
    func process(
        _ sent: SentBatch, _ statistics: inout DeliveryStatistics, at now: MonotonicTime
    ) -> [SendBatch.UnsentMessage] {
        batch.removeFirst(sent.count)
        guard let error = sent.error else { return [] }
        if sent.wouldBlock {
            blocked(by: error, at: now)
            return batch.rollBack()
        }
        if sent.refusesGSO, batch.isFirstGSOBatch {
            // The path MTU is smaller, or the device cannot checksum the packets that it splits (EIO). Other routes are not
            // affected.
            batch.splitFirst()
        } else {
            // No route, or filtered. The loss of this one viewer is counted, and the others continue.
            statistics.refusedMessages += 1
            batch.removeFirst(1)
        }
        return []
    }

    private func send(_ messages: UnsafeMutableBufferPointer<mmsghdr>) -> SentBatch {
        switch socket {
        case .some(let socket): socket.send(messages)
        case nil: ports.pair.rtp.send(messages)
        }
    }

    private func blocked(by error: SystemError, at now: MonotonicTime) {
        guard error.code == ENOBUFS else { return becameFull(at: now) }
        obstacle = .congestion
        retry(after: UDPPorts.retryInterval, from: now)
    }

    private func retry(after interval: Int64, from now: MonotonicTime) {
        nextCheck = now + interval
        ports.scheduleCheck(at: nextCheck)
    }
}

// MARK: - Separate sockets

extension UDPSender {
    func add(_ route: UDPRoute) {
        routes.removeAll { $0.route == nil }
        routes.append(WeakRoute(route: route))
    }

    func remove(_ route: UDPRoute) {
        routes.removeAll { $0.route == nil || $0.route === route }
    }

    var hasRoutes: Bool { routes.contains { $0.route != nil } }

    /// Checks whether a separate socket can send again, because epoll does not watch it.
    func retry(at now: MonotonicTime) {
        guard let obstacle else { return }
        if isStuck(at: now) { probation = Probation(start: now, wasStuck: true) }
        switch obstacle {
        case .congestion: self.obstacle = nil
        // As in epoll, half of the buffer must be free.
        case .fullBuffer: if isFilled(below: 2) { self.obstacle = nil }
        }
    }

    /// Whether at most one part in `parts` of a separate socket's buffer is in use.
    private func isFilled(below parts: Int) -> Bool {
        switch socket {
        case .some(let socket): socket.queuedByteCount <= capacityByteCount / parts
        case nil: true
        }
    }

    /// Whether the clients of a separate socket may return to the shared one.
    ///
    /// That the socket has not been blocked for a while proves nothing if nothing was sent; hence the count of octets.
    func canRejoinShared(at now: MonotonicTime) -> Bool {
        guard !isBlocked, batch.messageCount == 0 else { return false }
        let period = probation.wasStuck ? Self.stuckPeriod : Self.probationPeriod
        return now - probation.start >= period && probation.octetCount >= Self.probationOctetCount
            && isFilled(below: 8)
    }

    /// The send buffer of a separate socket, in bytes: two GSO batches of maximum length. The kernel doubles it.
    static let bufferByteCount: Int32 = 131_072
    /// Twice what the buffer holds.
    private static let probationOctetCount = 524_288
    /// The minimum time for a separate socket, in nanoseconds.
    private static let probationPeriod: Int64 = 5_000_000_000
    /// The minimum time after a slow device has held its buffer.
    private static let stuckPeriod: Int64 = 60_000_000_000
}

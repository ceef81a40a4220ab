import CLinux
import Media
import Reactor

/// One socket that RTP packets leave through, and the batch of datagrams that is about to leave. Confined to its loop.
///
/// The socket is the RTP socket of the ports, which all clients share, or one that separates some clients from the others.
final class UDPSender {
    let batch: SendBatch
    /// Whether all clients of the ports share the socket.
    let isShared: Bool
    /// The routes of a separate socket. Sessions end without notice, hence the weak references.
    private(set) var routes: [WeakRoute] = []

    /// When `UDPPorts.turn` is to look at a separate socket next.
    var nextLook = MonotonicTime.distantFuture

    private unowned let ports: UDPPorts
    /// A separate socket; `nil` stands for the RTP socket of the ports.
    private let socket: UDPSocket?
    /// What the buffer of a separate socket holds, in bytes, as the kernel counts them.
    private let capacityByteCount: Int
    private var obstacle: Obstacle?
    /// What a separate socket has sent since it was stuck or made, and when that was.
    private var trial: Trial

    private enum Obstacle {
        /// The socket's buffer is full, since then.
        case fullBuffer(since: MonotonicTime)
        /// The kernel has no memory, or a device's queue is full. The socket stays writable, so sending is tried again soon.
        case congestion
    }

    private struct Trial {
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
    /// then. Viewers of other devices must not miss more than 100 ms, of which up to 40 pass between two frames.
    static let patience: Int64 = 20_000_000

    /// The shared socket of `ports`.
    init(sharedBy ports: UDPPorts) {
        self.ports = ports
        socket = nil
        capacityByteCount = 0
        isShared = true
        batch = SendBatch()
        trial = Trial(start: MonotonicTime(nanoseconds: 0))
    }

    /// A socket that separates clients of `ports` from the others.
    init(_ socket: consuming UDPSocket, of ports: UDPPorts, at now: MonotonicTime, nextLook: MonotonicTime) {
        self.ports = ports
        self.nextLook = nextLook
        capacityByteCount = socket.sendBufferByteCount
        self.socket = consume socket
        isShared = false
        batch = SendBatch(capacity: .separate)
        trial = Trial(start: now)
    }

    /// Whether nothing is sent for now.
    var isBlocked: Bool { obstacle != nil }

    /// Whether a full buffer blocks it.
    var isWaitingForRoom: Bool {
        if case .fullBuffer = obstacle { true } else { false }
    }

    /// When a full buffer counts as stuck; `nil` if the buffer is not full.
    var stuckAt: MonotonicTime? {
        if case .fullBuffer(let start) = obstacle { start + Self.patience } else { nil }
    }

    /// Whether a slow device holds the buffer.
    func isStuck(at now: MonotonicTime) -> Bool { stuckAt.map { $0 <= now } ?? false }

    /// The socket can take more, or it is worth another try.
    func becameWritable() { obstacle = nil }

    /// The socket's buffer is full.
    func becameFull(at now: MonotonicTime) {
        obstacle = .fullBuffer(since: now)
        tryAgain(after: isShared ? Self.patience : UDPPorts.retryInterval, from: now)
    }

    /// A message with this many payload octets is in the batch.
    func count(octets: Int) { trial.octetCount += octets }
}

// MARK: - Sending

extension UDPSender {
    /// Hands the batch to the kernel; viewers whose messages it did not take are put back to where they were.
    func flush(_ statistics: inout DeliveryStatistics, at now: MonotonicTime) {
        while batch.messageCount > 0 {
            statistics.systemCalls += 1
            settle(send(batch.pending), &statistics, at: now)
        }
    }

    /// Takes account of what became of the pending messages: afterwards there are fewer, or none if the socket is blocked.
    func settle(_ sent: SentBatch, _ statistics: inout DeliveryStatistics, at now: MonotonicTime) {
        batch.removeFirst(sent.count)
        guard let error = sent.error else { return }
        if sent.wouldBlock {
            blocked(by: error, at: now)
            return batch.rollBack(&statistics)
        }
        // A path with a smaller MTU, or a device that cannot checksum what it cuts (EIO): other routes are not affected.
        if sent.refusesGSO, batch.isFirstGSOBatch { return batch.splitFirst() }
        // No route, filtered: what this one viewer misses is counted, the others go on.
        statistics.refusedMessages += 1
        batch.removeFirst(1)
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
        tryAgain(after: UDPPorts.retryInterval, from: now)
    }

    private func tryAgain(after interval: Int64, from now: MonotonicTime) {
        nextLook = now + interval
        ports.look(at: nextLook)
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

    /// Looks whether a separate socket can send again: its descriptor is not watched.
    func tryAgain(at now: MonotonicTime) {
        guard let obstacle else { return }
        if isStuck(at: now) { trial = Trial(start: now, wasStuck: true) }
        switch obstacle {
        case .congestion: self.obstacle = nil
        // As for epoll, half of the buffer is room.
        case .fullBuffer: if isFilled(below: 2) { self.obstacle = nil }
        }
    }

    /// Whether no more than one part of `parts` of a separate socket's buffer is in use.
    private func isFilled(below parts: Int) -> Bool {
        switch socket {
        case .some(let socket): socket.queuedByteCount <= capacityByteCount / parts
        case nil: true
        }
    }

    /// Whether the clients of a separate socket may share one with the others again.
    ///
    /// That they have not been blocked for a while proves nothing if nothing was sent; hence the octets.
    func isCalm(at now: MonotonicTime) -> Bool {
        guard !isBlocked, batch.messageCount == 0 else { return false }
        let period = trial.wasStuck ? Self.stuckPeriod : Self.trialPeriod
        return now - trial.start >= period && trial.octetCount >= Self.trialOctetCount
            && isFilled(below: 8)
    }

    /// What a separate socket may hold, in bytes: two of the longest trains. The kernel doubles it.
    static let bufferByteCount: Int32 = 131_072
    /// Twice what the buffer holds.
    private static let trialOctetCount = 524_288
    /// How long a separate socket is used at least, in nanoseconds.
    private static let trialPeriod: Int64 = 5_000_000_000
    /// The same after a slow device has held its buffer.
    private static let stuckPeriod: Int64 = 60_000_000_000
}

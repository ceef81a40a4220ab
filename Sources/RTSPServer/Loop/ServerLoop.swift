import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams

/// One event loop of the server: its connections, their sessions and viewers, its pair of UDP ports.
///
/// An actor with the loop as its executor. It is entered once per batch of events, so all state here is confined to one thread at
/// the cost of a plain class.
actor ServerLoop {
    nonisolated let loop: EventLoop
    let index: Int
    let options: ServerOptions
    let directory: PathDirectory
    let registry: Registry
    let admission: Admission
    let identity: CurrentIdentity
    let logger: Logger
    /// The loop that sends to multicast groups; `nil` if it is this one.
    let multicastLoop: ServerLoop?
    let delivery: DeliveryLoop
    let ports: UDPPorts
    let usesGSO: Bool
    let inbox: Inbox
    nonisolated let decisions = Decisions()
    /// The canonical name in all our reports: random, as RFC 7022 recommends, and the same for all tracks.
    let canonicalName: String

    var numbers = SystemRandomNumberGenerator()
    var connections: [Token: Connection] = [:]
    /// Connections that are over, kept until the client has read the last response.
    var lingering: [Token: LingeringClose] = [:]
    var datagrams = ReceivedDatagrams()
    var viewersByReportSource: [SocketAddress: ViewerSession] = [:]
    var sessionsByViewer: [UInt64: (connection: Connection, session: ViewerSession)] = [:]
    var groups = MulticastGroups()
    var nextGroupRound = MonotonicTime(nanoseconds: 0)
    var deadlines = DeadlineQueue<Token>()
    /// Requests that wait for a unit or a source, checked in each turn.
    var waiting: [WaitingRequest] = []
    var lastToken: UInt64 = 16
    /// UDP sessions of the last seconds whose client's ports are not confirmed yet.
    var unlatched = UnlatchedSessions()
    /// Datagrams from unknown ports that came before a PLAY.
    var latchCandidates = LatchCandidates()
    /// Limits for log messages.
    var logs = LogRateLimiters()
    let touched = TouchedConnections()
    /// Connections with unprocessed messages, which take turns.
    let backlogged = BackloggedConnections()
    /// This host's address, for clients that must use IPv4.
    var ownIPv4Host = CachedHost()
    private var turnCount = 0
    var isPortsWatchedForWriting = false
    var isStopping = false

    static let rtpToken = Token(rawValue: 1)
    static let rtcpToken = Token(rawValue: 2)
    /// The time that a turn spends on input before media is sent, in nanoseconds: a tenth of a frame interval at 30 frames/s.
    private static let inputBudget: Int64 = 3_000_000
    /// Connections taken over in one turn: a millisecond, mostly for TLS.
    private static let adoptionsPerTurn = 32
    /// The time that a turn spends on deadlines that have passed, in nanoseconds. An answer may have requests behind it.
    private static let deadlineBudget: Int64 = 1_000_000

    init(
        index: Int, loop: EventLoop, options: ServerOptions, directory: PathDirectory, registry: Registry,
        admission: Admission, identity: CurrentIdentity, inbox: Inbox, fastStartBudget: FastStartBudget,
        multicastLoop: ServerLoop?, canonicalName: String, usesGSO: Bool, logger: Logger
    ) throws(SystemError) {
        self.loop = loop
        self.index = index
        self.options = options
        self.directory = directory
        self.registry = registry
        self.admission = admission
        self.identity = identity
        self.inbox = inbox
        self.multicastLoop = multicastLoop
        self.canonicalName = canonicalName
        self.usesGSO = usesGSO
        self.logger = logger
        let pair = try RTPSocketPair.bind(evenIn: options.udpPorts)
        if index == 0 { Self.logSendBuffer(of: pair.rtp, to: logger) }
        if let codePoint = options.codePoint { try pair.rtp.setDifferentiatedServices(codePoint: codePoint) }
        try loop.add(pair.rtp.fd, .read, token: Self.rtpToken)
        try loop.add(pair.rtcp.fd, .read, token: Self.rtcpToken)
        ports = UDPPorts(
            pair: pair, usesGSO: usesGSO, maximumSeparateCount: options.maximumSeparateSocketsPerLoop)
        delivery = DeliveryLoop(
            options: options.delivery, waker: LoopWaker(loop), fastStartBudget: fastStartBudget, at: .now())
    }

    /// Logs that the kernel's limit makes the send buffer small, because keyframes for many viewers would fill it at once.
    private static func logSendBuffer(of socket: borrowing UDPSocket, to logger: Logger) {
        let requested = Int(UDPSocket.requestedBufferByteCount)
        // The kernel reports twice what it granted.
        let granted = socket.sendBufferByteCount / 2
        guard granted < requested else { return }
        logger.notice(
            "the kernel grants a smaller UDP send buffer than requested",
            metadata: [
                "requested": "\(requested) bytes", "granted": "\(granted) bytes",
                "remedy": "sysctl -w net.core.wmem_max=\(requested)",
            ])
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What this loop has sent.
    var statistics: DeliveryStatistics { delivery.statistics }

    /// Connections of this loop. New ones go to the loop with the fewest.
    nonisolated var load: Int { inbox.load }
}

/// Wakes a loop when streams have something new.
final class LoopWaker: Waker {
    private let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func wake() {
        loop.wake()
    }
}

extension ServerLoop: EventLoopHandler {
    nonisolated func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        assumeIsolated { $0.turn(events, at: now) }
    }

    private func turn(_ events: Events, at now: MonotonicTime) -> MonotonicTime {
        handle(events, at: now)
        continueBackloggedConnections(at: now)
        for accepted in inbox.take(upTo: Self.adoptionsPerTurn) { adopt(accepted, at: now) }
        takeDecisions(at: now)
        groups.retry()
        ports.turn(at: now)
        let deliveryDeadline = delivery.turn(at: now)
        handleDeliveryEvents(at: now)
        let waitingDeadline = answerWaiting(at: now)
        passDeadlines(at: now)
        updateTouchedConnections(at: now)
        let groupDeadline = startRequiredGroups(at: now)
        // The rest is handled in the next turn, after media was sent.
        guard backlogged.isEmpty, inbox.isEmpty else { return now }
        let nextTry = min(ports.deadline, groups.nextTry(after: now))
        return min(deliveryDeadline, waitingDeadline, deadlines.next, groupDeadline, nextTry)
    }

    /// Handles events for a limited time. The kernel reports the rest again in the next turn, which begins with another event, so
    /// that a flood delays neither other clients nor media.
    private func handle(_ events: Events, at now: MonotonicTime) {
        guard !events.isEmpty else { return }
        let end = MonotonicTime.now() + Self.inputBudget
        turnCount &+= 1
        for offset in events.indices {
            handle(events[(turnCount + offset) % events.count], at: now)
            if MonotonicTime.now() >= end { return }
        }
    }

    private func handle(_ event: Event, at now: MonotonicTime) {
        switch event.token {
        case Self.rtpToken:
            if event.readiness.contains(.writable) { ports.becameWritable() }
            receiveLatchingDatagrams(at: now)
        case Self.rtcpToken:
            receiveReports(at: now)
        default:
            // Events of one turn may still name a connection that was closed earlier in it.
            guard let connection = connections[event.token] else { return discardInput(of: event.token) }
            if event.readiness.contains(.writable) { drain(connection, at: now) }
            if !event.readiness.isDisjoint(with: [.readable, .hangup, .error]) { read(connection, at: now) }
        }
    }

    /// The socket takes bytes again: first pending output, then the media of its viewers.
    private func drain(_ connection: Connection, at now: MonotonicTime) {
        touched.add(connection)
        connection.output.flush(at: now)
        for session in connection.sessions.values where session.lowerTransport == .interleaved {
            delivery.outputBecameWritable(of: session.viewer, at: now)
            connection.machine.noteActivity(of: session.id, at: now)
        }
    }

    private func handleDeliveryEvents(at now: MonotonicTime) {
        for event in delivery.takeEvents() {
            switch event {
            case .stalled(let viewer):
                let seconds = options.delivery.policy.maximumStall / 1_000_000_000
                end(viewer, because: "the client took no data for \(seconds) s", at: now)
            case .ended(let viewer):
                end(viewer, because: "the stream's tracks have changed", at: now)
            }
        }
    }

    private func passDeadlines(at now: MonotonicTime) {
        let end = MonotonicTime.now() + Self.deadlineBudget
        // Deadlines that are left are still due, so the next turn comes at once.
        repeat {
            guard let token = deadlines.popDue(at: now) else { return }
            guard let connection = connections[token] else {
                endLingering(token)
                continue
            }
            // Interleaved data that drains is a sign of life, because some clients send nothing over TCP while they play.
            for session in connection.sessions.values where session.lowerTransport == .interleaved {
                if session.startedAt != nil {
                    connection.machine.noteActivity(of: session.id, at: connection.output.lastProgress)
                }
            }
            connection.output.tls?.deadlinePassed(at: now)
            connection.machine.deadlinePassed(at: now)
            perform(connection, at: now)
        } while MonotonicTime.now() < end
    }

    /// After each turn: sends pending replies, updates the events of sockets, and closes connections that are done.
    private func updateTouchedConnections(at now: MonotonicTime) {
        while let connection = touched.next() {
            if connections[connection.token] === connection { updateSocket(connection, at: now) }
        }
        let isWaiting = ports.isWaitingForRoom
        if isWaiting != isPortsWatchedForWriting {
            // The socket was added at the start and stays for the loop's life: this cannot fail.
            try? loop.change(ports.pair.rtp.fd, isWaiting ? [.read, .write] : .read, token: Self.rtpToken)
            isPortsWatchedForWriting = isWaiting
        }
    }
}

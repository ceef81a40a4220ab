import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams

/// One event loop of the server: its connections, their sessions and viewers, its pair of UDP ports.
///
/// An actor whose executor is the loop: entered once per batch of events, so that all state here is confined to one
/// thread at the cost of a plain class. Files beside this one: accepting, requests, datagrams, multicast.
actor ServerLoop {
    nonisolated let loop: EventLoop
    let index: Int
    let options: ServerOptions
    let directory: PathDirectory
    let registry: Registry
    let admission: Admission
    let identity: CurrentIdentity
    let logger: Logger
    /// Who sends to multicast groups: one loop for all.
    let multicastHome: ServerLoop?
    let delivery: DeliveryLoop
    let ports: UDPPorts
    let usesGSO: Bool
    let inbox: Inbox
    nonisolated let decisions = Decisions()
    /// The canonical name of all our reports: random, as RFC 7022 recommends, and the same for all tracks.
    let canonicalName: String

    var numbers = SystemRandomNumberGenerator()
    var connections: [Token: Connection] = [:]
    /// Connections that are over, whose clients may still read what was said last.
    var lingering: [Token: LingeringClose] = [:]
    var datagrams = ReceivedDatagrams()
    var viewersByReportSource: [SocketAddress: Session] = [:]
    var sessionsByViewer: [UInt64: (connection: Connection, session: Session)] = [:]
    var groups = MulticastGroups()
    var nextGroupRound = MonotonicTime(nanoseconds: 0)
    var deadlines = DeadlineQueue<Token>()
    /// Requests that wait for a unit or for a source, looked at in each turn.
    var waiting: [WaitingRequest] = []
    var lastToken: UInt64 = 16
    /// Sessions whose client was not heard yet on its UDP ports, of the last seconds.
    var unlatched = UnlatchedSessions()
    /// Punch packets that came before a PLAY.
    var latchCandidates = LatchCandidates()
    /// How often what may be logged.
    var logs = LogBudgets()
    let touched = TouchedConnections()
    /// Connections whose received messages wait: others come in between.
    let behind = WaitingConnections()
    /// This host's address, for clients that have to come by IPv4.
    var ownIPv4Host = CachedHost()
    private var turnCount = 0
    var isPortsWatchedForWriting = false
    var isStopping = false

    static let rtpToken = Token(rawValue: 1)
    static let rtcpToken = Token(rawValue: 2)
    /// What a turn spends on what clients send before media goes out, in nanoseconds: a tenth of a picture at 30 a second.
    private static let inputBudget: Int64 = 3_000_000
    /// Connections taken over in one turn: a millisecond, most of it for TLS.
    private static let adoptionsPerTurn = 32
    /// What a turn spends on deadlines that have passed, in nanoseconds: an answer that waited may have requests behind it.
    private static let deadlineBudget: Int64 = 1_000_000

    init(
        index: Int, loop: EventLoop, options: ServerOptions, directory: PathDirectory, registry: Registry,
        admission: Admission, identity: CurrentIdentity, inbox: Inbox, fastStarts: FastStartBudget,
        multicastHome: ServerLoop?, canonicalName: String, usesGSO: Bool, logger: Logger
    ) throws(SystemError) {
        self.loop = loop
        self.index = index
        self.options = options
        self.directory = directory
        self.registry = registry
        self.admission = admission
        self.identity = identity
        self.inbox = inbox
        self.multicastHome = multicastHome
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
        delivery = DeliveryLoop(options: options.delivery, waker: LoopWaker(loop), fastStarts: fastStarts, at: .now())
    }

    /// Keyframes for many viewers fill a small buffer at once, and the kernel's usual limit makes it small.
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

    /// What was sent from here.
    var statistics: DeliveryStatistics { delivery.statistics }

    /// Connections here, by which new ones are spread.
    nonisolated var load: Int { inbox.load }
}

/// How streams wake a loop.
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
        goOnWithThoseBehind(at: now)
        for accepted in inbox.take(upTo: Self.adoptionsPerTurn) { adopt(accepted, at: now) }
        takeDecisions(at: now)
        groups.tryAgain()
        ports.turn(at: now)
        let deliveryDeadline = delivery.turn(at: now)
        handleDeliveryEvents(at: now)
        let waitingDeadline = answerWaiting(at: now)
        passDeadlines(at: now)
        settleOutputs(at: now)
        let groupDeadline = keepGroupsOnAir(at: now)
        // What is left over comes in the next turn, after media has gone out.
        guard behind.isEmpty, inbox.isEmpty else { return now }
        let nextTry = min(ports.deadline, groups.nextTry(after: now))
        return min(deliveryDeadline, waitingDeadline, deadlines.next, groupDeadline, nextTry)
    }

    /// What clients send is looked at for a while; the rest is told again in the next turn, which begins with another,
    /// so that a flood takes nobody's turn and media goes out in between.
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

    /// The socket takes bytes again: first what waits, then the media of its viewers.
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
                end(viewer, because: "took nothing for \(seconds) s", at: now)
            case .ended(let viewer):
                end(viewer, because: "the stream's tracks have changed", at: now)
            }
        }
    }

    private func passDeadlines(at now: MonotonicTime) {
        let end = MonotonicTime.now() + Self.deadlineBudget
        // Those that are left are due still: the next turn comes at once.
        repeat {
            guard let token = deadlines.popDue(at: now) else { return }
            guard let connection = connections[token] else {
                endLingering(token)
                continue
            }
            // Interleaved data that drains is a sign of life: some clients send nothing at all over TCP while they play.
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

    /// After each turn: hands out what replies wait, watches sockets for what they can do, closes who is done.
    private func settleOutputs(at now: MonotonicTime) {
        while let connection = touched.next() {
            if connections[connection.token] === connection { settle(connection, at: now) }
        }
        let isWaiting = ports.isWaitingForRoom
        if isWaiting != isPortsWatchedForWriting {
            // The socket was added at the start and stays for the loop's life: this cannot fail.
            try? loop.change(ports.pair.rtp.fd, isWaiting ? [.read, .write] : .read, token: Self.rtpToken)
            isPortsWatchedForWriting = isWaiting
        }
    }
}

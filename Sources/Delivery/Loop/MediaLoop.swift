import Media
import RTP
import Reactor
import Streams

/// One event loop thread, which hosts any number of protocols: the services. It owns the tokens and deadlines of all of them, the
/// pair of UDP ports that they share, and delivery. It knows no protocol.
///
/// A turn has five steps: input, delivery, answers, deadlines, output (``LoopService``). So a unit that a service publishes while
/// it handles input reaches the viewers of this loop in the same turn.
///
/// An actor with the loop as its executor. It is entered once per batch of events, so all state here, and all services, are
/// confined to one thread at the cost of plain classes.
public actor MediaLoop {
    /// The configuration of a loop.
    public struct Options: Sendable {
        public var delivery = DeliveryLoop.Options()
        /// The range from which the loop takes a pair of UDP ports.
        public var udpPorts: ClosedRange<UInt16> = 6970...7169
        /// Client addresses that may have a separate UDP socket, because a slow device holds the buffer of the shared one.
        public var maximumSeparateSockets = 512
        /// The differentiated-services code point of media packets; `nil` leaves them unmarked.
        public var codePoint: UInt8?
        /// Whether the kernel supports GSO.
        public var usesGSO = true

        public init() {}
    }

    /// Makes one service of a loop.
    public typealias ServiceMaker = @Sendable (LoopPlace) throws(SystemError) -> any LoopService

    nonisolated let loop: EventLoop
    /// The send buffer that the kernel has granted the RTP socket, in bytes.
    public nonisolated let sendBufferByteCount: Int
    private let state: LoopState
    private let waker: LoopWaker
    private let services: [any LoopService]
    private var input: InputShares
    private var datagrams = ReceivedDatagrams()
    private var isWatchedForRoom = false

    private static let rtpToken = Token(rawValue: 1)
    private static let rtcpToken = Token(rawValue: 2)

    /// Binds the UDP ports and makes the services. Nothing runs before ``start()``.
    ///
    /// - Parameters:
    ///   - loop: has not been started.
    ///   - fastStartBudget: limits the memory of fast starts; shared with other loops.
    ///   - services: each makes one service of the loop. Datagrams are offered to the services in this order.
    public init(
        on loop: EventLoop, options: Options, fastStartBudget: MemoryBudget,
        services: [ServiceMaker]
    ) throws(SystemError) {
        self.loop = loop
        let pair = try RTPSocketPair.bind(evenIn: options.udpPorts)
        // The kernel reports twice what it granted.
        sendBufferByteCount = pair.rtp.sendBufferByteCount / 2
        if let codePoint = options.codePoint { try pair.rtp.setDifferentiatedServices(codePoint: codePoint) }
        try loop.add(pair.rtp.fd, .read, token: Self.rtpToken)
        try loop.add(pair.rtcp.fd, .read, token: Self.rtcpToken)
        waker = LoopWaker(loop)
        let state = LoopState(
            loop: loop,
            delivery: DeliveryLoop(
                options: options.delivery, waker: waker, fastStartBudget: fastStartBudget, at: .now()),
            ports: UDPPorts(
                pair: pair, usesGSO: options.usesGSO, maximumSeparateCount: options.maximumSeparateSockets))
        self.state = state
        var made: [any LoopService] = []
        for make in services { made.append(try make(LoopPlace(state: state, number: UInt8(made.count + 1)))) }
        self.services = made
        input = InputShares(serviceCount: made.count)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Starts the thread.
    public nonisolated func start() throws(SystemError) {
        try loop.start(self)
    }

    /// Stops all services, then the thread.
    public func stop() {
        let now = loop.now
        for service in services { service.stop(at: now) }
        loop.stop()
    }

    /// Waits until the thread has ended. Must not be called on it.
    public nonisolated func join() {
        loop.join()
    }

    /// Returns once the loop has turned. Never returns if the loop is stuck or has ended.
    public nonisolated func turned() async {
        await loop.turned()
    }

    /// What this loop has sent.
    public var statistics: DeliveryStatistics { state.delivery.statistics }

    /// Calls `body` on the loop's thread with its service of this type; `nil` if it has none. A turn follows at once.
    public func with<Service: LoopService, Result: Sendable>(
        _ type: Service.Type, _ body: @Sendable (Service) -> Result
    ) -> Result? {
        for service in services {
            if let service = service as? Service { return body(service) }
        }
        return nil
    }
}

// MARK: - Turns

extension MediaLoop: EventLoopHandler {
    public nonisolated func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        assumeIsolated { $0.turn(events, at: now) }
    }

    private func turn(_ events: Events, at now: MonotonicTime) -> MonotonicTime {
        takeInput(events, at: now)
        var next = deliver(at: now)
        for service in services { next = min(next, service.answer(at: now)) }
        passDeadlines(at: now)
        for service in services { next = min(next, service.finishTurn(at: now)) }
        watchForRoom()
        // What was published after delivery waits for the next turn, which needs no wake-up either.
        if waker.takePublished() { return now }
        return min(next, state.ports.deadline, state.deadlines.next)
    }

    /// Sends media, and tells the services which viewers delivery has given up.
    private func deliver(at now: MonotonicTime) -> MonotonicTime {
        _ = waker.takePublished()
        state.ports.turn(at: now)
        let deadline = state.delivery.turn(at: now)
        for event in state.delivery.takeEvents() {
            _ = services.first { $0.handle(event, at: now) }
        }
        return deadline
    }

    /// The time that a turn spends on deadlines that have passed, in nanoseconds. An answer may have requests behind it.
    private static let deadlineBudget: Int64 = 1_000_000

    private func passDeadlines(at now: MonotonicTime) {
        let end = MonotonicTime.now() + Self.deadlineBudget
        // Deadlines that are left are still due, so the next turn comes at once.
        repeat {
            guard let token = state.deadlines.popDue(at: now) else { return }
            services[token.service - 1].deadlinePassed(of: token, at: now)
        } while MonotonicTime.now() < end
    }

    /// Watches the RTP socket for room while its buffer is full.
    private func watchForRoom() {
        let isWaiting = state.ports.isWaitingForRoom
        guard isWaiting != isWatchedForRoom else { return }
        // The socket was added at the start and stays for the loop's life: this cannot fail.
        try? loop.change(state.ports.pair.rtp.fd, isWaiting ? [.read, .write] : .read, token: Self.rtpToken)
        isWatchedForRoom = isWaiting
    }
}

// MARK: - Input

extension MediaLoop {
    /// The time that a service gets in a turn for input that earlier turns have left, in nanoseconds.
    private static let leftInputBudget: Int64 = 1_000_000
    /// Batches of datagrams read from each port in a turn. A flood waits in the socket or is lost there; media is not delayed.
    private static let batchesPerTurn = 4

    /// Handles events for a limited time per service. The kernel reports the rest again in the next turn, so that a flood delays
    /// neither other services, nor other clients, nor media.
    private func takeInput(_ events: Events, at now: MonotonicTime) {
        if !events.isEmpty { input.beginTurn() }
        for offset in events.indices {
            let event = events[(input.turnCount + offset) % events.count]
            guard input.hasTime(event.token.service) else { continue }
            handle(event, at: now)
            input.used(by: event.token.service)
        }
        for service in services { service.receiveInput(until: .now() + Self.leftInputBudget, at: now) }
    }

    private func handle(_ event: Event, at now: MonotonicTime) {
        switch event.token {
        case Self.rtpToken:
            if event.readiness.contains(.writable) { state.ports.becameWritable() }
            receiveDatagrams(on: .rtp, at: now)
        case Self.rtcpToken: receiveDatagrams(on: .rtcp, at: now)
        default: services[event.token.service - 1].socketIsReady(event, at: now)
        }
    }

    private func receiveDatagrams(on port: UDPPort, at now: MonotonicTime) {
        for _ in 0..<Self.batchesPerTurn {
            let outcome =
                switch port {
                case .rtp: datagrams.receive(from: state.ports.pair.rtp)
                case .rtcp: datagrams.receive(from: state.ports.pair.rtcp)
                }
            guard case .bytes = outcome else { return }
            for index in 0..<datagrams.count {
                guard let datagram = datagrams[index] else { continue }
                for service in services {
                    if service.received(datagram.bytes.bytes, from: datagram.source, on: port, at: now) { break }
                }
            }
            // Otherwise the socket was empty. What has come since is reported again.
            guard datagrams.isFull else { return }
        }
    }
}

/// The shares of a turn that each service gets for the events of its sockets. A value; time is read from the clock.
private struct InputShares {
    /// The time per turn and service, in nanoseconds: a tenth of a frame interval at 30 frames/s.
    private static let share: Int64 = 3_000_000

    /// The time used in this turn by each service; that of the loop's own sockets is first.
    private var used: [Int64]
    private var last = MonotonicTime(nanoseconds: 0)
    /// Turns so far. Each turn begins with another event.
    private(set) var turnCount = 0

    init(serviceCount: Int) {
        used = Array(repeating: 0, count: serviceCount + 1)
    }

    mutating func beginTurn() {
        turnCount = (turnCount &+ 1) & 0xFFFF
        for service in used.indices { used[service] = 0 }
        last = .now()
    }

    /// Whether a service may handle another event in this turn.
    func hasTime(_ service: Int) -> Bool { used[service] < Self.share }

    /// Counts the time since the last call, or since the turn began.
    mutating func used(by service: Int) {
        let now = MonotonicTime.now()
        used[service] += now - last
        last = now
    }
}

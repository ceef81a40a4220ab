import Delivery
import Media
import RTSP
import Reactor
import Streams
import WebRTC

/// The WebRTC server on one media loop: its port, and the sessions of clients. Confined to the loop.
///
/// `WebRTCService+Opening.swift` answers offers, `+Connections` serves TCP, `+Datagrams` handles what comes to the port, `+Sessions` begins and ends what sessions
/// play and publish, and `+Control` has what the rest of the server asks.
final class WebRTCService: LoopService {
    let place: LoopPlace
    let context: ServerContext
    let inbox: LoopInbox
    /// The number of the loop.
    let number: Int
    let port: LoopPort
    /// The UDP socket.
    let ports: UDPPorts
    var table = SessionTable()
    var ended = EndedSessions()
    var candidates: HostCandidates
    /// Offers that wait for the first media of a stream.
    var waiting: [WaitingOffer] = []
    var numbers = SystemRandomNumberGenerator()
    var isStopping = false
    var connections: [Token: Connection] = [:]
    /// Connections to look at before the turn ends.
    var changed: [Connection] = []
    /// What is read, of one connection at a time.
    let connectionBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
    let listenerToken: Token
    private let socketToken: Token
    private var isWatchedForRoom = false
    private var datagrams = ReceivedDatagrams()

    /// The time between two looks at offers that wait for media, in nanoseconds.
    private static let tick: Int64 = 20_000_000
    /// Batches of datagrams read in a turn. A flood waits in the socket or is lost there; media are not delayed.
    private static let batchesPerTurn = 8
    /// Messages taken in a turn. An answer takes less than a millisecond.
    private static let messagesPerTurn = 16

    init(
        _ place: LoopPlace, _ context: ServerContext, _ inbox: LoopInbox, on port: LoopPort, number: Int
    ) throws(SystemError) {
        (self.place, self.context, self.inbox, self.port, self.number) = (place, context, inbox, port, number)
        candidates = HostCandidates(context.options)
        ports = UDPPorts(
            pair: port.takePair(), usesGSO: place.ports.usesGSO,
            maximumSeparateCount: context.options.maximumSeparateSockets)
        (socketToken, listenerToken) = (place.nextToken(), place.nextToken())
        try place.watch(ports.pair.rtp.fd, .read, as: socketToken)
        if context.options.maximumConnections > 0 { try place.watch(port.listener.fd, .read, as: listenerToken) }
    }

    deinit {
        connectionBuffer.deallocate()
    }

    var log: ServiceLog { context.log }

    // MARK: Input

    func socketIsReady(_ event: Event, at now: MonotonicTime) {
        if event.token == listenerToken { return accept(at: now) }
        guard event.token == socketToken else {
            if let connection = connections[event.token] { isReady(connection, event.readiness, at: now) }
            return
        }
        if event.readiness.contains(.writable) { ports.becameWritable() }
        for _ in 0..<Self.batchesPerTurn {
            guard case .bytes = datagrams.receive(from: ports.pair.rtp) else { return }
            for index in 0..<datagrams.count {
                guard let datagram = datagrams[index] else { continue }
                received(
                    datagram.bytes.bytes, over: NetworkPath(remote: datagram.source, local: datagram.destination),
                    at: now)
            }
            // Otherwise the socket was empty. What has come since is reported again.
            guard datagrams.isFull else { return }
        }
    }

    func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {
        ports.turn(at: now)
        for message in inbox.messages.take(upTo: Self.messagesPerTurn) {
            switch message {
            case .open(let request, let answer): open(request, answer, at: now)
            case .request(let name, let request, let answer): receive(request, for: name, answer, at: now)
            case .pathCreated(let request, let answer, let refusal):
                pathWasCreated(for: request, answer, refusal: refusal, at: now)
            case .publicationEnded(let name, let end): publicationEnded(end, of: name, at: now)
            case .keyframeWanted(let name): table[name]?.publishing?.requestKeyframe(at: now)
            }
        }
    }

    func handle(_ event: DeliveryLoop.Event, at now: MonotonicTime) -> Bool {
        switch event {
        case .stalled(let viewer): end(viewer, .stalled, because: "the client took no data", at: now)
        case .ended(let viewer): end(viewer, .changed, because: "the stream's tracks have changed", at: now)
        case .moved(let viewer, let stream, let reason): moved(viewer, to: stream, because: reason, at: now)
        }
    }

    // MARK: Answers, deadlines, output

    func answer(at now: MonotonicTime) -> MonotonicTime {
        answerWaiting(at: now)
        servePublishers(at: now)
        return waiting.isEmpty ? .distantFuture : now + Self.tick
    }

    func deadlinePassed(of token: Token, at now: MonotonicTime) {
        if let connection = connections[token] { return passDeadline(of: connection, at: now) }
        if token == listenerToken {
            // The listener is open, and was watched before: this cannot fail.
            try? place.watch(port.listener.fd, .read, as: listenerToken)
            return
        }
        guard let session = table[token] else { return }
        session.deadline = nil
        passDeadline(of: session, at: now)
    }

    func finishTurn(at now: MonotonicTime) -> MonotonicTime {
        let isWaiting = ports.isWaitingForRoom
        if isWaiting != isWatchedForRoom {
            place.change(ports.pair.rtp.fd, isWaiting ? [.read, .write] : .read, of: socketToken)
            isWatchedForRoom = isWaiting
        }
        settleConnections(at: now)
        return inbox.messages.isEmpty ? ports.deadline : now
    }

    func stop(at now: MonotonicTime) {
        isStopping = true
        for offer in waiting { refuse(offer, .problem(503, "the server is stopping", retryAfterSeconds: 5)) }
        waiting = []
        for session in table.all { end(session, .connectionClosed, because: "the server is stopping", at: now) }
        for connection in connections.values { close(connection, because: "the server is stopping", at: now) }
        place.unwatch(ports.pair.rtp.fd)
        place.unwatch(port.listener.fd)
        place.setDeadline(of: listenerToken, to: nil)
    }
}

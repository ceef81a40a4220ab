import Delivery
import Media
import RTSP
import Reactor
import Streams

/// Carries out what the connections' state machines order. Confined to the loop.
///
/// The contract with a state machine has no exception: give one input, drain its actions (``drain(_:at:)``), wait for the
/// deadline.
final class RequestHandler {
    private let place: LoopPlace
    private let context: ServerContext
    private let connections: Connections
    private let sessions: Sessions
    private let external: ExternalDecisions
    private let handlers: Handlers
    private let log: ServiceLog

    /// What answers each kind of request.
    private struct Handlers {
        let describe: DescribeHandler
        let setUp: SessionSetup
        let join: MulticastSetup
        let play: PlayHandler
        let reports: ReportReceiver
        let publishing: PublishingHandler
    }

    init(
        _ place: LoopPlace, _ context: ServerContext, connections: Connections, sessions: Sessions,
        external: ExternalDecisions, mailboxes: LoopMailboxes, log: ServiceLog
    ) {
        self.place = place
        self.context = context
        self.connections = connections
        self.sessions = sessions
        self.external = external
        self.log = log
        handlers = Handlers(
            describe: DescribeHandler(context, log), setUp: SessionSetup(place, context, sessions: sessions, log: log),
            join: MulticastSetup(directory: context.directory, registry: context.registry, sessions: sessions),
            play: PlayHandler(place, sessions, context.options.network, log),
            reports: ReportReceiver(delivery: place.delivery, sessions: sessions),
            publishing: PublishingHandler(place, context, mailboxes, log: log))
    }

    /// Serves publishers.
    var publishing: PublishingHandler { handlers.publishing }

    /// Handles RTCP.
    var reports: ReportReceiver { handlers.reports }
    /// The number of requests that wait for a source's first unit.
    var waitingCount: Int { sessions.waiting.count }

    /// Carries out all actions of a connection, after an input.
    func drain(_ connection: Connection, at now: MonotonicTime) {
        connections.touched.add(connection)
        while let action = connection.machine.nextAction() { perform(action, on: connection, at: now) }
        place.setDeadline(of: connection.token, to: connection.nextDeadline)
    }

    private func perform(_ action: ServerAction, on connection: Connection, at now: MonotonicTime) {
        switch action {
        case .send(let bytes): connection.output.append(bytes)
        case .describe(let id, let request):
            noteClient(of: connection, request.userAgent)
            answerOrWait(id, .describe(request), on: connection, at: now)
        case .setUp(let id, let request):
            noteClient(of: connection, request.userAgent)
            answerOrWait(id, .setUp(request), on: connection, at: now)
        case .play(let id, let request): play(id, request, on: connection, at: now)
        case .announce(let id, let request):
            noteClient(of: connection, request.userAgent)
            publishing.announce(request, id, on: connection, at: now) { answer in
                connection.machine.announced(id, answer, at: now)
            }
        case .setUpPublisher(let id, let request):
            connection.machine.setUp(id, publishing.setUp(request, on: connection, at: now), at: now)
        case .record(let id, let session):
            guard let publisher = connection.publisher, publisher.id == session else {
                return connection.machine.recorded(id, Refusal(.sessionNotFound), at: now)
            }
            connection.machine.recorded(id, publishing.record(publisher, on: connection, at: now), at: now)
        case .startSending(let id):
            guard let session = connection.sessions[id] else { return }
            handlers.play.start(session, of: connection, at: now)
        case .pause(let id):
            guard let session = connection.sessions[id] else { return }
            handlers.play.pause(session, of: connection, at: now)
        case .tearDown(let id, let reason):
            if let publisher = connection.publisher, publisher.id == id {
                return publishing.end(publisher, of: connection, because: "\(reason)", at: now)
            }
            guard let session = connection.sessions[id] else { return }
            sessions.end(session, of: connection, ViewerCounts.Departure(reason), because: "\(reason)", at: now)
        case .receivedInterleaved(let id, let channel, let bytes):
            if let publisher = connection.publisher, publisher.id == id {
                return publishing.receivedInterleaved(bytes, on: channel, of: publisher, at: now)
            }
            guard let session = connection.sessions[id] else { return }
            handlers.reports.receivedInterleaved(bytes, on: channel, for: session, on: connection, at: now)
        case .decide(let id, let request): external.ask(request, id, for: connection, at: now)
        case .accessRefused(let failure): log.accessRefused(failure, to: connection, at: now)
        case .addressLockedOut(let seconds): log.addressLockedOut(connection, seconds: seconds, at: now)
        case .close(let reason):
            connection.state.closing = reason
            log.connectionCloses(connection, because: reason, at: now)
        }
    }

    private func noteClient(of connection: Connection, _ userAgent: String?) {
        connection.client.userAgent = userAgent ?? connection.client.userAgent
        connection.log.isMissingCredentials = false
    }

    private func play(_ id: RequestID, _ request: PlayRequest, on connection: Connection, at now: MonotonicTime) {
        guard let session = connection.sessions[request.session] else {
            return connection.machine.played(id, .failure(Refusal(.sessionNotFound)), at: now)
        }
        if session.lowerTransport == .multicast {
            return sessions.groups.play(
                GroupPlay(connection: connection.token, id: id, request: request, key: session.groupKey))
        }
        if let refusal = handlers.play.join(session, for: request, on: connection, at: now) {
            return connection.machine.played(id, .failure(refusal), at: now)
        }
        answerOrWait(id, .play(request, session), on: connection, at: now)
    }

    // MARK: Requests that may wait

    private func answerOrWait(
        _ id: RequestID, _ kind: WaitingRequest.Kind, on connection: Connection, at now: MonotonicTime
    ) {
        let stream = stream(of: kind)
        let patience =
            switch kind {
            case .describe, .setUp: stream?.demand.startMilliseconds ?? context.options.describeMilliseconds
            case .play: context.options.playReplyMilliseconds
            }
        let request = WaitingRequest(
            connection: connection, id: id, kind: kind, deadline: now.advanced(byMilliseconds: patience),
            use: stream.map { StreamUse(of: $0) })
        if !isAnswered(request, at: now) { sessions.waiting.add(request) }
    }

    /// The stream that a request needs before it belongs to a session; `nil` if there is none.
    private func stream(of kind: WaitingRequest.Kind) -> Streams.Stream? {
        switch kind {
        case .describe(let request): context.directory.entry(at: request.path)?.stream
        case .setUp(let request): SetUpTarget.entry(of: request, in: context.directory)?.stream
        case .play: nil
        }
    }

    /// Answers the requests that have waited and can be answered now; returns when to check again.
    func answerWaiting(at now: MonotonicTime) -> MonotonicTime {
        sessions.waiting.answer(at: now) { request in
            let connection = request.connection
            guard connections.contains(connection), connection.machine.awaits(request.id) else { return true }
            guard isAnswered(request, at: now) else { return false }
            drain(connection, at: now)
            return true
        }
    }

    /// Answers a request if that is possible now, or its deadline has passed; false if it must wait.
    private func isAnswered(_ request: WaitingRequest, at now: MonotonicTime) -> Bool {
        let (connection, id) = (request.connection, request.id)
        let mustAnswer = now >= request.deadline
        switch request.kind {
        case .describe(let describe):
            guard
                let answer = handlers.describe.answer(describe, on: connection, mustAnswer: mustAnswer, at: now)
            else { return false }
            connection.machine.described(id, answer, at: now)
        case .setUp(let setUp):
            switch handlers.setUp.answer(setUp, id, on: connection, mustAnswer: mustAnswer, at: now) {
            case .answered(let answer): connection.machine.setUp(id, answer, at: now)
            case .waitsForGroup: break
            case .waitsForInput: return false
            }
        case .play(let play, let session):
            guard connection.sessions[session.id] === session else { return true }
            guard let answer = handlers.play.answer(play, session, mustAnswer: mustAnswer, at: now) else {
                return false
            }
            connection.machine.played(id, .success(answer), at: now)
        }
        return true
    }

    /// Answers the ANNOUNCE requests that waited for their path, and ends publications: those of silent publishers, and those that
    /// another thread wants to end. Returns when to call this again.
    func servePublishers(at now: MonotonicTime) -> MonotonicTime {
        for path in publishing.takeCreated() {
            guard let connection = connections[path.connection], connection.machine.awaits(path.id) else { continue }
            connection.machine.announced(path.id, publishing.answer(to: path, on: connection, at: now), at: now)
            drain(connection, at: now)
        }
        for ending in publishing.takeEndings() {
            guard let connection = connections[ending.connection] else { continue }
            withdraw(ending.session, ending.withdrawal, on: connection, at: now)
        }
        return publishing.passDeadlines(at: now) { connection, session, withdrawal in
            withdraw(session, withdrawal, on: connection, at: now)
        }
    }

    private func withdraw(
        _ session: SessionID, _ withdrawal: Withdrawal, on connection: Connection, at now: MonotonicTime
    ) {
        connection.machine.withdraw(session, withdrawal, at: now)
        drain(connection, at: now)
    }

    /// Handles an answer of the home of the multicast groups. The request may have been refused, and its session withdrawn
    /// meanwhile.
    func received(_ answer: GroupAnswer, at now: MonotonicTime) {
        switch answer {
        case .joined(let join, let membership):
            let connection = connections[join.connection]
            let answer = handlers.join.answer(join, membership, on: connection, at: now)
            guard let connection, let answer else { return }
            connection.machine.setUp(join.id, answer, at: now)
            drain(connection, at: now)
        case .playing(let play, let first):
            guard let connection = connections[play.connection], let session = connection.sessions[play.request.session]
            else { return }
            let answer = handlers.play.answer(play.request, session, first)
            connection.machine.played(play.id, .success(answer), at: now)
            drain(connection, at: now)
        }
    }
}

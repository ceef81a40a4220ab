import Delivery
import Media
import RTSP
import Reactor
import Streams

/// The RTSP server on one media loop: connections, their requests and sessions. Confined to the loop.
///
/// This type only connects the owners of the parts: ``Connections`` (sockets), ``ConnectionReader`` (input), ``RequestHandler``
/// (what the state machines order), ``Sessions`` (viewers and addresses), ``ConnectionSettling`` (the end of a turn, and of
/// connections), ``GroupHome`` (multicast), ``ServiceControl`` (what the rest of the server asks).
final class RTSPService: LoopService {
    let control: ServiceControl
    let requests: RequestHandler
    /// The home of the multicast groups, on one of the loops.
    let home: GroupHome?
    private let place: LoopPlace
    private let connections: Connections
    private let sessions: Sessions
    private let reader: ConnectionReader
    private let settling: ConnectionSettling
    private let external: ExternalDecisions
    private let log: ServiceLog

    /// - Parameters:
    ///   - mailboxes: those of this service's loop.
    ///   - groups: the mailbox of the home of the multicast groups.
    ///   - home: the home, if it is on this loop.
    init(_ place: LoopPlace, _ context: ServerContext, mailboxes: LoopMailboxes, groups: HomeMailbox, usesGSO: Bool) {
        self.place = place
        log = ServiceLog(context.logger, context.options.encryption)
        external = ExternalDecisions(context.admission, mailboxes.decisions)
        connections = Connections(place, context, inbox: mailboxes.inbox, log: log)
        let membership = GroupMembership(home: groups.requests, of: mailboxes.groupAnswers)
        sessions = Sessions(place, context, groups: membership, log: log)
        requests = RequestHandler(
            place, context, connections: connections, sessions: sessions, external: external,
            mailboxes: mailboxes, log: log)
        reader = ConnectionReader(connections, requests, context.options)
        settling = ConnectionSettling(
            place, context, connections: connections, sessions: sessions, requests: requests, reader: reader, log: log)
        home = groups.isHere ? GroupHome(place, context, requests: groups.requests, usesGSO: usesGSO, log: log) : nil
        control = ServiceControl(
            place, admission: context.admission, connections: connections, requests: requests, home: home)
    }

    // MARK: Input

    func socketIsReady(_ event: Event, at now: MonotonicTime) {
        // Events of one turn may still name a connection that was closed earlier in it.
        guard let connection = connections[event.token] else { return connections.discardInput(of: event.token) }
        if event.readiness.contains(.writable) { flush(connection, at: now) }
        guard !event.readiness.isDisjoint(with: [.readable, .hangup, .error]) else { return }
        do throws(SystemError) {
            try reader.read(connection, at: now)
        } catch {
            settling.lose(connection, error, at: now)
        }
    }

    /// The socket takes bytes again: first pending output, then the media of its viewers.
    private func flush(_ connection: Connection, at now: MonotonicTime) {
        connections.touched.add(connection)
        connection.output.flush(at: now)
        for session in connection.sessions.values where session.lowerTransport == .interleaved {
            place.delivery.outputBecameWritable(of: session.viewer, at: now)
            connection.machine.noteActivity(of: session.id, at: now)
        }
    }

    func received(_ datagram: RawSpan, from source: SocketAddress, on port: UDPPort, at now: MonotonicTime) -> Bool {
        if !requests.reports.received(datagram, from: source, on: port, at: now),
            !requests.publishing.received(datagram, from: source, on: port, at: now)
        {
            sessions.addresses.receivedFromUnknown(source, on: port, at: now)
        }
        return true
    }

    func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {
        reader.continueBacklog(until: end, at: now)
        connections.adoptAccepted(at: now)
        for decided in external.takeAll() {
            guard let connection = connections[decided.connection] else { continue }
            connection.machine.decided(decided.request, decided.decision, at: now)
            requests.drain(connection, at: now)
        }
        home?.receiveRequests(at: now)
        for answer in sessions.groups.takeAnswers() { requests.received(answer, at: now) }
    }

    // MARK: Answers, deadlines, output

    func handle(_ event: DeliveryLoop.Event, at now: MonotonicTime) -> Bool {
        switch event {
        case .stalled(let viewer), .ended(let viewer):
            return settling.end(event, at: now) || home?.deliveryEnded(viewer, at: now) == true
        case .moved(let viewer, let stream, let reason):
            guard let (connection, session) = sessions.owner(of: viewer) else { return false }
            log.moved(session, of: connection, to: stream.path, because: reason, at: now)
            return true
        }
    }

    func answer(at now: MonotonicTime) -> MonotonicTime {
        min(requests.answerWaiting(at: now), requests.servePublishers(at: now))
    }

    func deadlinePassed(of token: Token, at now: MonotonicTime) {
        guard let connection = connections[token] else { return connections.endLingering(token) }
        // Interleaved data that drains is a sign of life, because some clients send nothing over TCP while they play.
        for session in connection.sessions.values where session.lowerTransport == .interleaved {
            if session.startedAt != nil {
                connection.machine.noteActivity(of: session.id, at: connection.output.lastProgress)
            }
        }
        connection.output.tls?.deadlinePassed(at: now)
        connection.machine.deadlinePassed(at: now)
        requests.drain(connection, at: now)
    }

    func finishTurn(at now: MonotonicTime) -> MonotonicTime {
        let groupDeadline = home?.startRequired(at: now) ?? .distantFuture
        settling.settleTouched(at: now)
        // The rest is handled in the next turn, after media was sent.
        return reader.hasBacklog || connections.hasAccepted ? now : groupDeadline
    }

    func stop(at now: MonotonicTime) {
        control.beginStopping()
        connections.beginStopping()
        for connection in connections.all { settling.shutDown(connection, at: now) }
        home?.closeAll(at: now)
    }
}

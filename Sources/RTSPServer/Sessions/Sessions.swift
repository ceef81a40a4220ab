import Delivery
import Media
import RTP
import RTSP
import Reactor
import Streams

/// The sessions of a loop: makes and ends them, with everything that they hold. Confined to the loop.
final class Sessions {
    /// The clients' UDP addresses.
    let addresses: ClientAddresses
    /// The multicast groups that sessions join.
    let groups: GroupMembership
    /// Requests for sessions and paths that cannot be answered yet.
    let waiting = WaitingRequests()
    private let place: LoopPlace
    private let context: ServerContext
    private let log: ServiceLog
    private var byViewer: [ObjectIdentifier: (connection: Connection, session: ViewerSession)] = [:]
    private var numbers = SystemRandomNumberGenerator()

    init(_ place: LoopPlace, _ context: ServerContext, groups: GroupMembership, log: ServiceLog) {
        self.place = place
        self.context = context
        self.groups = groups
        self.log = log
        addresses = ClientAddresses(context.registry)
    }

    /// The session of a viewer, and its connection.
    func owner(of viewer: Viewer) -> (connection: Connection, session: ViewerSession)? {
        byViewer[ObjectIdentifier(viewer)]
    }

    /// Makes a session with its viewer; `nil` if there are too many viewers.
    func make(
        for entry: PathDirectory.Entry, tracks: [Track], encapsulation: RTPEncapsulation, user: String?,
        over lowerTransport: ViewerSession.LowerTransport, on connection: Connection, at now: MonotonicTime
    ) -> ViewerSession? {
        guard context.registry.admitViewer() else { return nil }
        let id = SessionID(random: numbers.next(), numbers.next())
        let viewer = Viewer(
            canonicalName: context.canonicalName, trackCount: tracks.count,
            encapsulation: encapsulation,
            output: lowerTransport == .interleaved ? connection.output : nil, at: now)
        let session = ViewerSession(
            id: id, viewerID: context.registry.nextViewerID(), entry: entry, layout: tracks, viewer: viewer,
            lowerTransport: lowerTransport, user: user)
        connection.sessions[id] = session
        byViewer[ObjectIdentifier(viewer)] = (connection, session)
        return session
    }

    /// Ends a session: sends a BYE and releases everything that it holds.
    func end(
        _ session: ViewerSession, of connection: Connection, _ departure: ViewerCounts.Departure,
        because reason: String, at now: MonotonicTime
    ) {
        guard connection.sessions.removeValue(forKey: session.id) != nil else { return }
        if session.lowerTransport == .multicast { groups.leave(session.groupKey) }
        if session.lowerTransport == .udp {
            let outcome = LossMemory.Outcome(
                sent: Int64(session.viewer.sentCounts.packets), missing: session.viewer.network.missingPackets)
            context.registry.sessionEnded(outcome, of: connection.peer, connection.client.userAgent, at: now)
        }
        place.delivery.end(session.viewer, at: now)
        waiting.remove(for: session)
        byViewer[ObjectIdentifier(session.viewer)] = nil
        addresses.remove(session)
        context.registry.viewerLeft()
        guard session.startedAt != nil else { return }
        log.left(session, of: connection, because: reason, at: now)
        let stream = session.entry.stream
        stream.viewerCounts.left(over: session.transportName, departure)
        stream.events?.publish(stream.path) { .viewerLeft(session.eventClient(on: connection), reason: reason) }
    }

    /// Ends all sessions of a connection that closes.
    func endAll(of connection: Connection, at now: MonotonicTime) {
        if connection.client.isReferredToTCP {
            context.registry.declinedTCP(connection.peer, connection.client.userAgent)
        }
        for session in connection.sessions.values {
            end(session, of: connection, .connectionClosed, because: "connection closed", at: now)
        }
        waiting.remove(of: connection)
    }
}

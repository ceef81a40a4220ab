import Delivery
import Media
import RTSP
import Reactor
import TLS

/// The open connections of a loop: accepts them from the inbox, watches their sockets, and closes them. Confined to the loop.
final class Connections {
    /// The connections to settle at the end of the turn.
    let touched = TouchedConnections()
    private let place: LoopPlace
    private let context: ServerContext
    private let log: ServiceLog
    private let inbox: Inbox
    private let lingering: LingeringConnections
    private var open: [Token: Connection] = [:]
    private var isStopping = false

    init(_ place: LoopPlace, _ context: ServerContext, inbox: Inbox, log: ServiceLog) {
        self.place = place
        self.context = context
        self.inbox = inbox
        self.log = log
        lingering = LingeringConnections(place)
    }

    /// The open connections.
    var all: Dictionary<Token, Connection>.Values { open.values }

    /// The connection, if it is open.
    subscript(token: Token) -> Connection? { open[token] }

    /// Whether the connection is open.
    func contains(_ connection: Connection) -> Bool { open[connection.token] === connection }

    // MARK: Beginning

    /// Connections taken over in one turn: a millisecond, mostly for TLS.
    private static let adoptionsPerTurn = 32

    /// Whether accepted connections wait to be adopted.
    var hasAccepted: Bool { !inbox.isEmpty }

    /// Begins to serve connections that were accepted.
    func adoptAccepted(at now: MonotonicTime) {
        for accepted in inbox.take(upTo: Self.adoptionsPerTurn) { adopt(accepted, at: now) }
    }

    private func adopt(_ accepted: Inbox.Accepted, at now: MonotonicTime) {
        let socket = TCPSocket(adopting: Descriptor(adopting: accepted.fd))
        let token = place.nextToken()
        do {
            guard let local = socket.localAddress, !isStopping else { return dropped(accepted) }
            try socket.sendWithoutDelay()
            try socket.limitUnsent(toBytes: context.options.unsentBytes)
            // Do not use the host's default: bbr paces, which delays. If cubic is missing, the default applies.
            try? socket.setCongestionControl("cubic")
            let tls = try encryption(of: accepted, at: now)
            try place.watch(socket.fd, .read, as: token)
            let connection = Connection(
                token: token, socket: socket, tls: tls, peer: accepted.peer, local: local,
                configuration: context.options.connection, admission: context.admission, at: now)
            open[token] = connection
            connection.output.onChange = { [touched, weak connection] in
                if let connection { touched.add(connection) }
            }
            touched.add(connection)
            place.setDeadline(of: token, to: connection.nextDeadline)
        } catch {
            log.connectionDropped(from: accepted.peer, error, at: now)
            dropped(accepted)
        }
    }

    /// The TLS connection for an accepted connection; `nil` without TLS.
    private func encryption(
        of accepted: Inbox.Accepted, at now: MonotonicTime
    ) throws(IdentityFailure) -> TLSConnection? {
        guard accepted.security == .tls else { return nil }
        // A connection to the TLS port is never served without TLS.
        guard let identity = context.identity.value, let options = context.options.encryption.tls else {
            throw .impossible
        }
        return try TLSConnection(of: identity, limits: options.handshake, at: now)
    }

    private func dropped(_ accepted: Inbox.Accepted) {
        if accepted.security == .tls { context.registry.handshakeEnded() }
        context.registry.left(accepted.peer)
        inbox.connectionClosed()
    }

    // MARK: Sockets

    /// Notes that the TLS handshake of a connection is complete.
    func handshakeEnded(of connection: Connection) {
        guard connection.state.isHandshakeCounted else { return }
        connection.state.isHandshakeCounted = false
        context.registry.handshakeEnded()
    }

    /// Updates the events that the connection's socket is watched for.
    func updateInterest(of connection: Connection) {
        let wanted = connection.wantedInterest(
            maximumPendingReplyBytes: context.options.maximumPendingReplyBytes)
        guard wanted != connection.state.interest else { return }
        connection.state.interest = wanted
        place.change(connection.output.socket.fd, wanted, of: connection.token)
    }

    // MARK: Ending

    /// Closes a connection once the client could read the last response. Its sessions have ended.
    func close(_ connection: Connection, at now: MonotonicTime) {
        guard open.removeValue(forKey: connection.token) != nil else { return }
        if connection.log.isMissingCredentials { log.missingCredentials(of: connection, at: now) }
        place.setDeadline(of: connection.token, to: nil)
        // The pending output now contains the RTCP BYEs.
        connection.output.finish()
        connection.output.flush(at: now)
        let (output, former) = (connection.output, FormerConnection(connection))
        guard !connection.state.hasPeerEnded, output.failure == nil, output.pendingByteCount == 0 else {
            return release(former)
        }
        if connection.state.interest != .read { place.change(output.socket.fd, .read, of: connection.token) }
        lingering.add(former, at: now)
        discardInput(of: connection.token)
        if isStopping { endLingering(connection.token) }
    }

    /// Discards input on a connection that is over.
    func discardInput(of token: Token) {
        if let former = lingering.discardInput(of: token) { release(former) }
    }

    /// Closes a connection that is over, because its time is up.
    func endLingering(_ token: Token) {
        if let former = lingering.remove(token) { release(former) }
    }

    private func release(_ former: FormerConnection) {
        place.unwatch(former.output.socket.fd)
        if former.isHandshakeCounted { context.registry.handshakeEnded() }
        context.registry.left(former.peer)
        inbox.connectionClosed()
    }

    /// Adopts no more connections, and lets none linger.
    func beginStopping() {
        isStopping = true
    }
}

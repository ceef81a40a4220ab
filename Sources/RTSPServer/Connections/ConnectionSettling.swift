import Delivery
import Media
import RTSP
import Reactor
import Streams

/// Settles connections at the end of a turn, and ends them with all their sessions. Confined to the loop.
final class ConnectionSettling {
    private let place: LoopPlace
    private let maximumStall: Int64
    private let connections: Connections
    private let sessions: Sessions
    private let requests: RequestHandler
    private let reader: ConnectionReader
    private let log: ServiceLog

    init(
        _ place: LoopPlace, _ context: ServerContext, connections: Connections, sessions: Sessions,
        requests: RequestHandler, reader: ConnectionReader, log: ServiceLog
    ) {
        self.place = place
        maximumStall = context.options.loop.delivery.policy.maximumStall
        self.connections = connections
        self.sessions = sessions
        self.requests = requests
        self.reader = reader
        self.log = log
    }

    /// Settles the connections that did something in this turn.
    func settleTouched(at now: MonotonicTime) {
        while let connection = connections.touched.next() {
            if connections.contains(connection) { settle(connection, at: now) }
        }
    }

    /// Sends pending output, updates the events that the socket is watched for, and closes the connection if it is done.
    private func settle(_ connection: Connection, at now: MonotonicTime) {
        let output = connection.output
        if connection.state.closing == nil, let failure = output.tls?.failure {
            log.handshakeFailed(failure, of: connection, at: now)
            connection.machine.securityFailed("\(failure)")
            requests.drain(connection, at: now)
        }
        if output.pendingByteCount > 0, !output.isBlocked { output.flush(at: now) }
        if let failure = output.failure { return lose(connection, failure, at: now) }
        if connection.state.closing != nil {
            let timeout = output.lastProgress + maximumStall
            if output.pendingByteCount == 0 || now >= timeout { return close(connection, at: now) }
            // The state machine has no deadline any more. Without this one, a quiet server would never check again.
            place.setDeadline(of: connection.token, to: timeout)
        }
        reader.listIfBacklogged(connection)
        connections.updateInterest(of: connection)
    }

    /// Closes a connection whose socket has failed.
    func lose(_ connection: Connection, _ error: SystemError, at now: MonotonicTime) {
        log.connectionLost(connection, error)
        connection.state.hasPeerEnded = true
        connection.machine.receivedEnd(at: now)
        requests.drain(connection, at: now)
        close(connection, at: now)
    }

    /// Ends the session and the connection of a viewer that delivery has given up; false if no session has this viewer.
    func end(_ event: DeliveryLoop.Event, at now: MonotonicTime) -> Bool {
        let (viewer, departure, reason): (Viewer, ViewerCounts.Departure, String)
        switch event {
        case .stalled(let stalled):
            (viewer, departure) = (stalled, .stalled)
            reason = "the client took no data for \(maximumStall / 1_000_000_000) s"
        case .ended(let ended):
            (viewer, departure, reason) = (ended, .changed, "the stream's tracks have changed")
        case .moved: return false
        }
        guard let (connection, session) = sessions.owner(of: viewer) else { return false }
        sessions.end(session, of: connection, departure, because: reason, at: now)
        close(connection, at: now)
        return true
    }

    /// Closes a connection because the server stops.
    func shutDown(_ connection: Connection, at now: MonotonicTime) {
        connection.machine.shuttingDown()
        requests.drain(connection, at: now)
        connection.output.flush(at: now)
        close(connection, at: now)
    }

    private func close(_ connection: Connection, at now: MonotonicTime) {
        sessions.endAll(of: connection, at: now)
        connections.close(connection, at: now)
    }
}

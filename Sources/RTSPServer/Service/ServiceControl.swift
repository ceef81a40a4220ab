import Delivery
import Media
import RTSP
import Reactor
import Streams

/// What the rest of the server asks of one loop's RTSP service. Confined to the loop, which is entered by
/// ``MediaLoop/with(_:_:)``.
final class ServiceControl {
    private let place: LoopPlace
    private let admission: Admission
    private let connections: Connections
    private let requests: RequestHandler
    private let home: GroupHome?
    private var isStopping = false

    init(
        _ place: LoopPlace, admission: Admission, connections: Connections, requests: RequestHandler, home: GroupHome?
    ) {
        self.place = place
        self.admission = admission
        self.connections = connections
        self.requests = requests
        self.home = home
    }

    /// Ends the sessions that a withdrawal affects. The directory has changed before, so new sessions find its new content.
    func withdraw(_ stream: Streams.Stream, _ withdrawal: Withdrawal) {
        guard !isStopping else { return }
        let now = place.now
        for connection in connections.all {
            let sessions = connection.sessions.values.filter {
                $0.entry.stream === stream && $0.isAffected(by: withdrawal)
            }
            let publisher = connection.publisher.flatMap { $0.point.stream === stream ? $0.id : nil }
            let ended = sessions.map(\.id) + (withdrawal == .stream ? [publisher].compactMap(\.self) : [])
            guard !ended.isEmpty else { continue }
            for session in ended { connection.machine.withdraw(session, withdrawal, at: now) }
            requests.drain(connection, at: now)
        }
        home?.close(stream, at: now)
    }

    /// Checks all connections against a new access policy.
    func reviewSessions() {
        guard !isStopping else { return }
        let (now, policy) = (place.now, admission.policy)
        for connection in connections.all {
            // A publisher's path is the one of its URL.
            let paths = connection.sessions.mapValues(\.entry.stream.path)
            connection.machine.accessChanged(to: policy, paths: paths, at: now)
            requests.drain(connection, at: now)
        }
    }

    /// The viewers that play, and how well each keeps up.
    func viewers(at now: MonotonicTime) -> [ViewerStatus] {
        connections.all.flatMap { connection in
            connection.sessions.values.compactMap { session in
                session.startedAt.map { start in
                    ViewerStatus(
                        id: session.viewerID, path: session.entry.stream.path, peer: "\(connection.peer)",
                        client: connection.client.userAgent, user: session.user, transport: session.transportName,
                        startedAt: start, backlog: place.delivery.backlog(of: session.viewer, at: now),
                        network: session.viewer.network)
                }
            }
        }
    }

    /// How many viewers play, by path.
    var viewerCounts: [String: Int] {
        connections.all.lazy.flatMap(\.sessions.values).reduce(into: [:]) { counts, session in
            if session.startedAt != nil { counts[session.entry.stream.path, default: 0] += 1 }
        }
    }

    /// Ends the session of a viewer.
    ///
    /// - Returns: whether the loop has such a viewer.
    func disconnect(_ viewer: ViewerID) -> Bool {
        guard !isStopping else { return false }
        for connection in connections.all {
            guard let session = connection.sessions.values.first(where: { $0.viewerID == viewer }) else { continue }
            let now = place.now
            connection.machine.withdraw(session.id, .disconnected, at: now)
            requests.drain(connection, at: now)
            return true
        }
        return false
    }

    /// Chooses a rendition for a viewer.
    ///
    /// - Parameter path: that of the rendition; `nil` lets the estimate of the viewer's path decide.
    /// - Returns: `nil` if the loop has no such viewer.
    func fixRendition(of viewer: ViewerID, to path: String?) -> RenditionOutcome? {
        let session = connections.all.lazy.flatMap(\.sessions.values).first { $0.viewerID == viewer }
        return session.map { place.delivery.fixRendition(of: $0.viewer, to: path, at: place.now) }
    }

    /// Whether a request on one of the connections waits for the server's answer.
    var awaitsAnswers: Bool {
        connections.all.contains { connection in (1...9).contains { connection.machine.awaits(RequestID($0)) } }
    }

    /// The number of sessions.
    var sessionCount: Int { connections.all.reduce(0) { $0 + $1.sessions.count } }

    /// Refuses further changes, because the loop stops.
    func beginStopping() {
        isStopping = true
    }
}

import Delivery
import Media
import RTSP
import Streams

/// Withdraws streams, or their multicast groups, while the server runs.
extension ServerLoop {
    /// Ends the sessions that a withdrawal affects. The directory has changed before, so new sessions find its new content.
    func withdraw(_ stream: Streams.Stream, _ withdrawal: Withdrawal) {
        guard !isStopping else { return }
        let now = loop.now
        for connection in connections.values {
            let sessions = connection.sessions.values.filter {
                $0.entry.stream === stream && $0.isAffected(by: withdrawal)
            }
            guard !sessions.isEmpty else { continue }
            for session in sessions { connection.machine.withdraw(session.id, withdrawal, at: now) }
            perform(connection, at: now)
            updateSocket(connection, at: now)
        }
        guard multicastLoop == nil else { return }
        for viewer in groups.close(stream) { delivery.end(viewer, at: now) }
    }
}

extension ViewerSession {
    /// Whether the withdrawal affects this session.
    fileprivate func isAffected(by withdrawal: Withdrawal) -> Bool {
        switch withdrawal {
        case .stream, .end, .permissionLost: true
        case .groups: lowerTransport == .multicast
        }
    }
}

import Delivery
import Media
import RTSP
import Streams

/// Streams, or their groups, are taken away while the server runs.
extension ServerLoop {
    /// Ends the sessions that have what is withdrawn. The directory was changed before: who sets up from now on finds
    /// what is there now.
    func withdraw(_ stream: Streams.Stream, _ withdrawal: Withdrawal) {
        guard !isStopping else { return }
        let now = loop.now
        for connection in connections.values {
            let sessions = connection.sessions.values.filter { $0.entry.stream === stream && $0.has(withdrawal) }
            guard !sessions.isEmpty else { continue }
            for session in sessions { connection.machine.withdraw(session.id, withdrawal, at: now) }
            perform(connection, at: now)
            settle(connection, at: now)
        }
        guard multicastHome == nil else { return }
        for viewer in groups.close(stream) { delivery.end(viewer, at: now) }
    }
}

extension Session {
    /// Whether what is withdrawn is what it watches by.
    fileprivate func has(_ withdrawal: Withdrawal) -> Bool {
        switch withdrawal {
        case .stream, .end, .right: true
        case .groups: lowerTransport == .multicast
        }
    }
}

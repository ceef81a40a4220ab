import Media
import Streams

/// What the rest of the server asks.
extension SRTService {
    /// The viewers that watch, and how well each keeps up.
    func viewers(at now: MonotonicTime) -> [ViewerStatus] {
        connections.values.compactMap { connection in
            guard case .viewing(let viewer, let audience) = connection.role else { return nil }
            return ViewerStatus(
                id: viewer.id, path: viewer.path.stream.path, peer: "\(connection.peer)", user: viewer.grant.user,
                transport: connection.transport, startedAt: connection.startedAt,
                lag: viewer.sender.lag(in: audience.view, at: now),
                droppedUnits: viewer.sender.follower.droppedUnits, capacity: viewer.sender.capacity,
                statistics: connection.socket.statistics)
        }
    }

    /// The connections of the clients that publish.
    var receptions: [(path: String, socket: SRTSocket)] {
        connections.values.compactMap { connection in connection.publisher.map { ($0.path, connection.socket) } }
    }

    /// How many viewers watch, by path.
    var viewerCounts: [String: Int] {
        connections.values.reduce(into: [:]) { counts, connection in
            if let viewer = connection.viewer { counts[viewer.path.stream.path, default: 0] += 1 }
        }
    }

    /// Ends the viewing of a stream. Its publisher is ended by its publishing point.
    func withdraw(_ stream: Streams.Stream, at now: MonotonicTime) {
        for connection in connections.values where connection.viewedStream === stream {
            end(connection, .streamEnded, because: "the stream has ended", at: now)
        }
    }

    /// Ends what the access policy no longer permits.
    func review(at now: MonotonicTime) {
        let policy = context.services.access.policy
        for connection in connections.values where !connection.isPermitted(by: policy) {
            end(connection, .permissionLost, because: "the client may no longer do this", at: now)
        }
    }

    /// Disconnects a viewer.
    ///
    /// - Returns: whether there is such a viewer.
    func disconnect(_ viewer: ViewerID, at now: MonotonicTime) -> Bool {
        guard let connection = connections.values.first(where: { $0.viewer?.id == viewer }) else { return false }
        end(connection, .disconnected, because: "an operator has disconnected the viewer", at: now)
        return true
    }
}

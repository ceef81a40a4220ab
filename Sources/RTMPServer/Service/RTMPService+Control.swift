import Delivery
import Logging
import Media
import RTMP
import RTSP
import Streams

/// What the rest of the server asks of one loop's RTMP service.
extension RTMPService {
    /// The viewers that play, and how well each keeps up.
    func viewers(at now: MonotonicTime) -> [FollowerStatus] {
        connections.values.compactMap { connection in
            guard case .playing(let player, let audience) = connection.role else { return nil }
            let sender = player.sender
            var status = FollowerStatus(
                id: player.id.description, path: player.path.stream.path, peer: "\(connection.peer)",
                client: connection.clientName, user: player.grant.user, transport: connection.transportName,
                startedAt: player.startedAt)
            status.lag = sender.follower.lag(in: audience.view, over: sender.transport, at: now) ?? 0
            status.unreadByteCount = sender.transport.heldByteCount(at: now)
            status.droppedUnits = player.droppedUnits
            status.roundTrip = connection.output.roundTrip
            status.capacity = sender.capacity
            status.bytesInFlight = connection.session.bytesInFlight
            return status
        }
    }

    /// How many viewers play, by path.
    var viewerCounts: [String: Int] {
        connections.values.reduce(into: [:]) { counts, connection in
            if let player = connection.player { counts[player.path.stream.path, default: 0] += 1 }
        }
    }

    /// Ends the viewing of a stream. Its publisher is ended by its publishing point.
    func withdraw(_ stream: Streams.Stream) {
        for connection in connections.values where connection.viewedStream === stream {
            end(connection, .playStop, .streamEnded, because: "the stream has ended", at: place.now)
        }
    }

    /// Ends what the access policy no longer permits.
    func review() {
        for connection in connections.values {
            let isPermitted =
                switch connection.role {
                case .none: true
                case .waiting(let waiting):
                    connection.access.permits(waiting.grant, .read, waiting.path.stream.path)
                case .playing(let player, _):
                    connection.access.permits(player.grant, .read, player.path.stream.path)
                case .publishing(let publisher):
                    connection.access.permits(publisher.grant, .publish, publisher.path)
                }
            guard !isPermitted else { continue }
            end(
                connection, .publishUnauthorized, .permissionLost, because: "the client may no longer do this",
                at: place.now)
        }
    }

    /// Disconnects a viewer.
    ///
    /// - Returns: whether the loop has such a viewer.
    func disconnect(_ viewer: ViewerID) -> Bool {
        guard let connection = connections.values.first(where: { $0.player?.id == viewer }) else { return false }
        end(
            connection, .playStop, .disconnected, because: "an operator has disconnected the viewer", at: place.now)
        return true
    }

    /// What the log says of a client that publishes or plays.
    func metadata(of path: String, _ connection: Connection) -> Logger.Metadata {
        [
            "path": "\(path)", "transport": "\(connection.transportName)",
            "client": "\(connection.clientName ?? "unnamed")",
        ]
    }
}

extension Connection {
    /// The stream that the client watches, or waits for.
    fileprivate var viewedStream: Streams.Stream? {
        switch role {
        case .waiting(let waiting): waiting.path.stream
        case .playing(let player, _): player.path.stream
        case .none, .publishing: nil
        }
    }
}

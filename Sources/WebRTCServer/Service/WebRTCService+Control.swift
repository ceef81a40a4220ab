import Delivery
import Media
import RTSP
import Streams

/// What the rest of the server asks of one loop's WebRTC service.
extension WebRTCService {
    /// The viewers that play, and how well each keeps up.
    func viewers(at now: MonotonicTime) -> [ViewerStatus] {
        table.all.compactMap { session in
            guard let playback = session.playback, let viewer = playback.viewer, let start = playback.startedAt else {
                return nil
            }
            return ViewerStatus(
                id: playback.id, path: playback.stream.path, peer: session.peer, client: session.client.userAgent,
                user: session.grant.user, transport: session.transportName, startedAt: start,
                backlog: place.delivery.backlog(of: viewer, at: now), network: viewer.network)
        }
    }

    /// How many viewers play, by path.
    var viewerCounts: [String: Int] {
        table.all.reduce(into: [:]) { counts, session in
            if let playback = session.playback, playback.startedAt != nil {
                counts[playback.stream.path, default: 0] += 1
            }
        }
    }

    /// Ends the viewing of a stream. Its publisher is ended by its publishing point.
    func withdraw(_ stream: Streams.Stream) {
        for session in table.all where session.playback?.stream === stream {
            end(session, .streamEnded, because: "the stream has ended", at: place.now)
        }
    }

    /// Ends what the access policy no longer permits.
    func review() {
        guard let policy = context.services.access.policy else { return }
        for session in table.all {
            let authenticator = Authenticator(
                policy, lockOut: context.services.lockOut, peer: session.client.endpoint,
                security: session.client.security)
            guard !authenticator.admits(session.grant, session.right, session.path.stream.path, since: session.policy)
            else { continue }
            end(session, .permissionLost, because: "the client may no longer do this", at: place.now)
        }
    }

    /// Disconnects a viewer.
    ///
    /// - Returns: whether the loop has such a viewer.
    func disconnect(_ viewer: ViewerID) -> Bool {
        guard let session = table.all.first(where: { $0.playback?.id == viewer && $0.playback?.startedAt != nil })
        else { return false }
        end(session, .disconnected, because: "an operator has disconnected the viewer", at: place.now)
        return true
    }

    /// Chooses a rendition for a viewer.
    ///
    /// - Returns: `nil` if the loop has no such viewer.
    func fixRendition(of viewer: ViewerID, to path: String?) -> RenditionOutcome? {
        table.all.first { $0.playback?.id == viewer }?.playback?.viewer.map {
            place.delivery.fixRendition(of: $0, to: path, at: place.now)
        }
    }
}

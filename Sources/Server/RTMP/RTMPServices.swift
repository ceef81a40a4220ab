import Delivery
import RTMPServer
import RTSP
import RTSPServer
import Reactor
import Streams

/// What the RTMP server shares with the RTSP server: users, wrong passwords, paths and limits.
struct RTMPServices: RTMPServer.SharedServices {
    let server: RTSPServer.Server

    var access: (policy: AccessPolicy?, version: UInt64) { server.access }
    var lockOut: LockOut { server.lockOut }

    func decide(
        _ request: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) {
        server.decide(request, for: connection, answer)
    }

    func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) -> String? {
        server.admitConnection(of: peer, security)
    }

    func handshakeEnded() { server.handshakeEnded() }

    func left(_ peer: SocketAddress) { server.connectionClosed(of: peer) }

    func path(at path: String) -> OfferedPath? {
        server.entry(at: path).map {
            OfferedPath(stream: $0.stream, join: $0.options.join, publishing: $0.publishing)
        }
    }

    func nearestPath(to path: String) -> String? { server.nearestPath(to: path) }

    func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool {
        server.createPath(path, for: publisher, then)
    }

    func admitViewer() -> Bool { server.admitViewer() }

    func nextViewerID() -> ViewerID { server.nextViewerID() }

    func viewerLeft() { server.viewerLeft() }
}

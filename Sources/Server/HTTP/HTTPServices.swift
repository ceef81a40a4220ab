import HTTPServer
import RTSP
import RTSPServer
import Reactor
import Streams

/// What the HTTP server shares with the RTSP server: users, wrong passwords and limits.
struct HTTPServices: SharedServices {
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

    func livePath(at path: String) -> LivePath? {
        server.livePath(at: path).map { LivePath(stream: $0.stream, join: $0.join) }
    }

    func admitViewer() -> Bool { server.admitViewer() }

    func nextViewerID() -> ViewerID { server.nextViewerID() }

    func viewerLeft() { server.viewerLeft() }
}

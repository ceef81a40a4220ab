import RTSP
import RTSPServer
import Reactor
import Serving
import Streams

/// What servers of other protocols share with the RTSP server, which keeps users, wrong passwords and limits for all.
protocol RTSPBackedServices: SharedServices {
    var server: RTSPServer.Server { get }
}

extension RTSPBackedServices {
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

    func admitViewer() -> Bool { server.admitViewer() }

    func nextViewerID() -> ViewerID { server.nextViewerID() }

    func viewerLeft() { server.viewerLeft() }
}

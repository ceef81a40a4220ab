import HLS
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

    func livePath(at path: String) -> LivePath? { server.entry(at: path).map(LivePath.init) }

    func substreams(of path: String) -> [LivePath] { server.substreams(of: path).map(LivePath.init) }

    func admitViewer() -> Bool { server.admitViewer() }

    func nextViewerID() -> ViewerID { server.nextViewerID() }

    func viewerLeft() { server.viewerLeft() }
}

extension LivePath {
    fileprivate init(_ entry: PathDirectory.Entry) {
        let options = entry.options
        self.init(
            stream: entry.stream, join: options.join,
            information: .init(
                title: options.title, description: options.description ?? "", keywords: options.keywords))
    }
}

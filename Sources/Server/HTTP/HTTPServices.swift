import HTTPServer
import RTSPServer

/// What the HTTP server shares with the RTSP server.
struct HTTPServices: RTSPBackedServices, HTTPSharedServices {
    let server: RTSPServer.Server

    func livePath(at path: String) -> LivePath? { server.entry(at: path).map(LivePath.init) }

    func substreams(of path: String) -> [LivePath] { server.substreams(of: path).map(LivePath.init) }
}

extension LivePath {
    fileprivate init(_ entry: PathDirectory.Entry) {
        let options = entry.options
        self.init(
            stream: entry.stream, join: options.join,
            information: .init(
                title: entry.title, description: entry.information ?? "", keywords: options.keywords))
    }
}

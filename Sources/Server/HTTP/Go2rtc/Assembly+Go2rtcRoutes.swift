import HTTPServer
import Media

extension Assembly {
    /// Addresses of go2rtc that clients know. What they answer is what the server's own addresses answer, to the same clients.
    func go2rtcRoutes() -> [Route] {
        Route.go2rtcLive + [
            Route(.path("/api/streams"), for: .server(.read)) { [weak self] request, exchange in
                let rights = exchange.rights(of: request)
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let streams = await assembly.go2rtcStreams(for: rights)
                    guard let name = request.target.query["src"] else { return request.json(streams) }
                    guard let stream = streams[name] else { throw Problem(.notFound, "there is no such stream") }
                    return request.json(stream)
                }
            },
            Route(.path("/api/frame.jpeg"), for: .source(.read)) { [weak self] request, exchange in
                self?.respondWithSnapshot(to: request, exchange)
            },
        ]
    }

    /// The streams that a client may watch, by their names without the leading slash.
    private func go2rtcStreams(for rights: ClientRights) async -> [String: Go2rtcStream] {
        let viewers = await servers.viewers(at: .now())
        let sources = state.withLock { $0.paths.values.map { ($0.stream.path, $0.source.label) } }
        return sources.reduce(into: [:]) { streams, source in
            let (path, label) = source
            guard rights.admits(.read, path) else { return }
            let isOperator = rights.admits(.status, path)
            streams[String(path.dropFirst())] = Go2rtcStream(
                producers: [.init(url: isOperator ? label : "")],
                consumers: isOperator ? viewers.filter { $0.path == path }.map(Go2rtcStream.Consumer.init) : [])
        }
    }
}

/// A stream in the form of go2rtc's list. Sources and viewers are for clients with the right `status`.
private struct Go2rtcStream: Encodable {
    let producers: [Producer]
    let consumers: [Consumer]

    struct Producer: Encodable {
        /// What the source is; empty for clients that may not know it.
        let url: String
    }

    struct Consumer: Encodable {
        private let id: String
        private let transport: String
        private let peer: String
        private let client: String?

        private enum CodingKeys: String, CodingKey {
            case id
            case transport = "protocol"
            case peer = "remote_addr"
            case client = "user_agent"
        }

        init(_ viewer: ServerStatus.ViewerLine) {
            (id, transport, peer, client) = (viewer.id, viewer.transport, viewer.peer, viewer.client)
        }
    }
}

import HTTPServer
import Media

extension Assembly {
    /// Addresses of go2rtc that clients know. What they answer is what the server's own addresses answer, to the same clients.
    func go2rtcRoutes() -> [Route] {
        Route.go2rtcLive + go2rtcRefusals + [
            Route(.path("/api"), for: .server(.read)) { [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in request.json(assembly.go2rtcServer) }
            },
            Route(.path("/api/schemes"), for: .server(.read)) { request, exchange in
                exchange.respond(request.json([String]()))
            },
            Route(.path("/api/preload"), for: .server(.read)) { request, exchange in
                exchange.respond(request.json([String: String]()))
            },
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

    /// The requests of go2rtc that change something.
    private var go2rtcRefusals: [Route] {
        ["/api/streams", "/api/preload"].map { path in
            Route(.path(path), [.put, .post, .patch, .delete], for: .server(.read)) { _, exchange in
                exchange.refuse(
                    Problem(
                        .forbidden,
                        "streams cannot be changed at the addresses of go2rtc; they are in the configuration file of the server"
                    ))
            }
        }
    }

    private var go2rtcServer: Go2rtcServer {
        Go2rtcServer(rtsp: .init(listen: server.port(for: .clear).map { ":\($0)" } ?? ""))
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

/// What go2rtc says of itself at `/api`.
private struct Go2rtcServer: Encodable {
    /// The first version of go2rtc that go2rtc-client 0.4 and Home Assistant accept. The addresses answer as they do there.
    let version = "1.9.13"
    /// The name and the version of this server, which go2rtc does not have.
    let server = "apus/\(apusVersion)"
    let rtsp: RTSP

    struct RTSP: Encodable {
        /// `:8554`; empty if RTSP without TLS is not served.
        let listen: String
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

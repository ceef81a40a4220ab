import HTTP
import RTSP

extension Route {
    /// What clients may ask about the server, themselves and the streams.
    public static var catalog: [Self] {
        [
            Route(.path("/api/v1/session"), for: .query, parameters: ["right"]) { $1.reportSession(to: $0) },
            Route(.path("/api/v1/streams"), for: .server(.read), parameters: ["path"]) { $1.listStreams(for: $0) },
        ]
    }
}

extension RequestHandler {
    /// Answers `GET /api/v1/session`.
    func reportSession(to request: Request, _ number: UInt64) {
        let report = SessionReport(server, access.rights(of: request))
        respond(Response(headers: [("Content-Type", "application/json")], body: json(report)), to: number)
    }

    /// Answers `GET /api/v1/streams`.
    func listStreams(for request: Request, _ exchange: Exchange) {
        let rights = access.rights(of: request)
        let path = request.target.query["path"]
        server.catalog.streams { streams in
            let chosen = streams.filter { path == nil || $0.path == path }
            if let path, chosen.isEmpty || !rights.admits(.read, path) {
                return exchange.refuse(Problem(.notFound, "there is no such stream"))
            }
            let body =
                Array("{\"streams\":".utf8) + chosen.json(for: rights) + Array(",\"time\":\(unixMilliseconds())}".utf8)
            exchange.respond(Response(headers: [("Content-Type", "application/json")], body: body))
        }
    }
}

import HTTPServer
import Logging
import Streams

extension Assembly {
    /// The clients that play.
    func viewerRoutes() -> [Route] {
        [
            Route(.path("/api/v1/viewers"), for: .named(.status), parameters: ["path", "limit", "after"]) {
                [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let page = try Page(request)
                    let all = await assembly.status().viewers.filter {
                        request.streamPath == nil || $0.path == request.streamPath
                    }
                    let viewers = try page.part(of: all, \.id)
                    return request.json(["viewers": viewers])
                }
            },
            Route(.folder("/api/v1/viewers/"), [.delete], for: .named(.control), parameters: ["path"]) {
                [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let viewer = try await assembly.viewer(request)
                    try await assembly.disconnect(viewer, by: request.grant.user)
                    return Response(.noContent)
                }
            },
            Route(.folder("/api/v1/viewers/"), [.patch], for: .named(.control), parameters: ["path"]) {
                [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let body: [String: String?] = try request.jsonBody()
                    guard let rendition = body["rendition"], body.count == 1 else {
                        throw Problem(.badRequest, #"the body must be {"rendition": …}, with a path or null"#)
                    }
                    let viewer = try await assembly.viewer(request)
                    try await assembly.fixRendition(of: viewer, to: rendition, by: request.grant.user)
                    return Response(.noContent)
                }
            },
        ]
    }

    /// The viewer whose id a request's URL ends with. If the query names a path, the viewer must watch it.
    private func viewer(_ request: Request) async throws(Problem) -> ServerStatus.ViewerLine {
        let id = String(request.target.path.dropFirst("/api/v1/viewers/".utf8.count))
        let viewer = await status().viewers.first { $0.id == id }
        guard let viewer, request.streamPath == nil || viewer.path == request.streamPath else {
            throw Problem(noSuchViewer: id)
        }
        return viewer
    }

    private func disconnect(_ viewer: ServerStatus.ViewerLine, by user: String?) async throws(Problem) {
        guard await servers.disconnect(viewer.id) else { throw Problem(noSuchViewer: viewer.id) }
        log.notice("viewer disconnected over HTTP", metadata: metadata(of: viewer, user))
    }

    /// Chooses a rendition for a viewer; `nil` lets the estimate of the viewer's path decide again.
    private func fixRendition(
        of viewer: ServerStatus.ViewerLine, to rendition: String?, by user: String?
    ) async throws(Problem) {
        switch await servers.fixRendition(of: viewer.id, to: rendition) {
        case .chosen: break
        case .noSuchRendition:
            throw Problem(
                .unprocessableContent,
                "\(printable(rendition ?? "")) is neither \(viewer.path) nor one of its substreams")
        case .stays, nil:
            throw Problem(
                .conflict,
                "the viewer stays with its path: only viewers over RTSP and WebRTC move, if the path has `rate: renditions` and the client "
                    + "survives it or `network.moveAllClients` is set")
        }
        var metadata = metadata(of: viewer, user)
        metadata["rendition"] = "\(rendition ?? "automatic")"
        log.notice("rendition of a viewer chosen over HTTP", metadata: metadata)
    }

    private func metadata(of viewer: ServerStatus.ViewerLine, _ user: String?) -> Logger.Metadata {
        ["path": "\(viewer.path)", "peer": "\(viewer.peer)", "user": "\(user ?? "-")"]
    }
}

extension Problem {
    fileprivate init(noSuchViewer id: String) {
        self.init(.notFound, "there is no viewer \(printable(id)); it may have left")
    }
}

import HTTPServer
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
                    let id = String(request.target.path.dropFirst("/api/v1/viewers/".utf8.count))
                    try await assembly.disconnect(id, watching: request.streamPath, by: request.grant.user)
                    return Response(.noContent)
                }
            },
        ]
    }

    /// Disconnects a viewer.
    ///
    /// - Parameter path: the path that it must watch; `nil` for any.
    private func disconnect(_ id: String, watching path: String?, by user: String?) async throws(Problem) {
        let viewer = await status().viewers.first { $0.id == id }
        guard let viewer, path == nil || viewer.path == path, await servers.disconnect(id)
        else { throw Problem(.notFound, "there is no such viewer; it may have left") }
        log.notice(
            "viewer disconnected over HTTP",
            metadata: ["path": "\(viewer.path)", "peer": "\(viewer.peer)", "user": "\(user ?? "-")"])
    }
}

import HTTPServer
import Reactor
import Synchronization

extension Assembly {
    /// The resources of the HTTP server.
    func routes() -> [Route] {
        [
            Route(.path("/healthz"), for: .everyone) { _, exchange in exchange.respond(.word("ok")) },
            Route(.path("/readyz"), for: .everyone) { [weak self] _, exchange in
                guard self?.isReady == true else {
                    return exchange.respond(.word("starting", .serviceUnavailable))
                }
                exchange.respond(.word("ready"))
            },
            Route(.path("/api/v1/status"), for: .server(.status)) { [weak self] _, exchange in
                self?.answer(exchange) { Response($0.json, as: "application/json") }
            },
            .statusSocket,
        ] + Route.catalog + Route.live + Route.page(framedBy: running.http.frameAncestors)
    }

    /// Responds with the status of the server, which the event loops are asked for. Nothing waits meanwhile.
    private func answer(_ exchange: Exchange, by response: @escaping @Sendable (ServerStatus) -> Response) {
        Task(executorPreference: tasks) { exchange.respond(response(await self.status())) }
    }

    /// Whether each path has announced what it plays, or never will by itself: it sleeps, waits for a publisher, or has failed.
    private var isReady: Bool {
        let (paths, isStopping) = state.withLock { ($0.paths.values, $0.isStopping) }
        return !isStopping
            && paths.allSatisfy { $0.stream.announcement != nil || $0.supervisor.condition.state != .starting }
    }
}

extension Response {
    /// One word, for programs that watch the server.
    fileprivate static func word(_ word: String, _ status: Status = .ok) -> Self {
        Self("\(word)\n", as: "text/plain; charset=utf-8", status)
    }
}

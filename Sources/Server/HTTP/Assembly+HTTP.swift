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
            Route(.path("/api/v1/status"), for: .server(.status), parameters: []) { [weak self] _, exchange in
                self?.answer(exchange) { Response(await $0.status().json, as: "application/json") }
            },
            .statusSocket, .tokens,
            // `/api/ws` has the form of a stream's address, too.
        ] + go2rtcRoutes() + webRTCRoutes() + Route.catalog + Route.live + snapshotRoutes() + operatorRoutes
            + Route.page(framedBy: running.http.frameAncestors)
    }

    private var operatorRoutes: [Route] {
        eventRoutes() + metricsRoutes() + viewerRoutes() + sourceRoutes() + settingRoutes() + latencyRoutes()
            + administrationRoutes() + sessionRoutes() + descriptionRoutes()
    }

    /// Responds with what `make` returns or throws. It may wait for the event loops, but must not block.
    func answer(
        _ exchange: Exchange, _ make: @escaping @Sendable (Assembly) async throws(Problem) -> Response
    ) {
        Task(executorPreference: tasks) {
            do throws(Problem) {
                exchange.respond(try await make(self))
            } catch {
                exchange.refuse(error)
            }
        }
    }

    /// Responds with what `make` returns or throws, from a thread on which it may block. Such requests are answered one after the
    /// other.
    func answerFromBlockingThread(
        _ exchange: Exchange, _ make: @escaping @Sendable (Assembly) throws(Problem) -> Response
    ) {
        reloads.run { [weak self] in
            guard let self else { return }
            do throws(Problem) {
                exchange.respond(try make(self))
            } catch {
                exchange.refuse(error)
            }
        }
    }

    /// Whether each path has announced what it plays, or never will by itself: it sleeps, waits for a publisher, or has failed.
    private var isReady: Bool {
        let (paths, isStopping) = state.withLock { ($0.paths.values, $0.isStopping) }
        return !isStopping
            && paths.allSatisfy { path in
                path.stream.announcement != nil || path.source.waitsForInput
                    || path.supervisor.condition.state != .starting
            }
    }
}

extension Response {
    /// One word, for programs that watch the server.
    fileprivate static func word(_ word: String, _ status: Status = .ok) -> Self {
        Self("\(word)\n", as: "text/plain; charset=utf-8", status)
    }
}

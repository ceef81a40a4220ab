import HTTPServer
import Reactor
import Streams

extension Assembly {
    /// The metrics for Prometheus.
    func metricsRoutes() -> [Route] {
        [
            Route(.path("/metrics"), for: .server(.status), parameters: []) { [weak self] _, exchange in
                self?.answer(exchange) { assembly in
                    Response(
                        await assembly.metrics.text, as: "text/plain; version=0.0.4; charset=utf-8")
                }
            }
        ]
    }

    private var metrics: ServerMetrics {
        get async {
            let paths = state.withLock { $0.paths.values.map(\.stream) }.sorted { $0.path < $1.path }
            return ServerMetrics(
                status: await status(),
                paths: paths.map {
                    ServerMetrics.Path(
                        path: $0.path, stages: $0.latencyTrace.counts, viewers: $0.viewerCounts.counts)
                },
                usage: .current())
        }
    }
}

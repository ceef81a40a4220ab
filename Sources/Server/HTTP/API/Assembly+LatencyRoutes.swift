import HTTPServer
import Streams

extension Assembly {
    /// How long the frames of a path spend in each stage.
    func latencyRoutes() -> [Route] {
        [
            Route(.path("/api/v1/latency"), for: .named(.status), parameters: ["path"]) {
                [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let path = try assembly.servedPath(at: request.requiredPath())
                    let stages = path.stream.latencyTrace.counts.map { ($0.rawValue, StageLine($1)) }
                    return request.json(["stages": Dictionary(uniqueKeysWithValues: stages)])
                }
            }
        ]
    }
}

/// The histogram of a stage; durations in milliseconds.
private struct StageLine: Encodable {
    let count: UInt64
    let sum: Double
    let bounds: [Double]
    let counts: [UInt64]

    init(_ durations: DurationCounts) {
        count = durations.count
        // With microseconds.
        sum = Double(durations.sumNanoseconds / 1_000) / 1_000
        bounds = DurationCounts.bounds
        counts = durations.counts
    }
}

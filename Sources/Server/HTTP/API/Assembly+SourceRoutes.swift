import HTTPServer
import Media
import Reactor
import Streams

extension Assembly {
    /// Requests to sources.
    func sourceRoutes() -> [Route] {
        [
            Route(.path("/api/v1/sources/keyframe"), [.post], for: .named(.control), parameters: ["path"]) {
                [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let path = try assembly.servedPath(at: request.requiredPath())
                    let now = MonotonicTime.now()
                    if let instant = path.stream.requestKeyframe(at: now) {
                        let seconds = max(1, Int((instant - now + 999_999_999) / 1_000_000_000))
                        throw Problem(
                            .tooManyRequests, "keyframes were requested too often; see keyframeRequests",
                            retryAfter: seconds)
                    }
                    return Response(.accepted)
                }
            },
            Route(.path("/api/v1/sources/restart"), [.post], for: .named(.control), parameters: ["path"]) {
                [weak self] request, exchange in
                self?.answer(exchange) { (assembly) throws(Problem) in
                    let path = try assembly.servedPath(at: request.requiredPath())
                    guard path.supervisor.restart() else {
                        throw Problem(.conflict, "standard input cannot be opened again")
                    }
                    assembly.log.notice(
                        "source restarted over HTTP",
                        metadata: ["path": "\(path.stream.path)", "user": "\(request.grant.user ?? "-")"])
                    return Response(.accepted)
                }
            },
        ]
    }

    /// The path of a stream with its leading slash.
    func servedPath(at path: String) throws(Problem) -> ServedPath {
        guard let served = state.withLock({ $0.paths[String(path.dropFirst())] }) else {
            throw Problem(.notFound, "there is no path \(printable(path))")
        }
        return served
    }
}

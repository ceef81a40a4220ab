import HTTPServer
import Streams

extension Assembly {
    /// The newest frame of each stream as a JPEG file.
    func snapshotRoutes() -> [Route] {
        [
            Route(.streamEnding(".jpg"), for: .stream(.read)) { [weak self] request, exchange in
                self?.respondWithSnapshot(to: request, exchange)
            }
        ]
    }

    func respondWithSnapshot(to request: Request, _ exchange: Exchange) {
        do throws(Problem) {
            let width = try SnapshotWidth(request.target.query)
            guard let stream = request.streamPath.flatMap(server.entry)?.stream else {
                throw Problem(.notFound, "there is no such stream")
            }
            let patience = stream.demand.startMilliseconds ?? HTTPServer.ServerOptions().firstMediaMilliseconds
            snapshots.respond(to: request, exchange, with: width, of: stream, patience: patience)
        } catch {
            exchange.refuse(error)
        }
    }
}

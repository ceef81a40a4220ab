import HLS
import HTTP
import NIOCore

/// Requests of players of HLS.
extension RequestHandler {
    /// Answers `GET /PATH/index.m3u8`.
    func listQualities(for request: Request, _ exchange: Exchange) {
        guard let context else { return }
        do throws(Problem) {
            let path = try watchedPath(of: request)
            let content = try PlaylistName.Content(request.target.query)
            // HEAD starts no source.
            guard request.method == .get else {
                return exchange.respond(Response(headers: [("Content-Type", SharedPlaylist.mediaType)]))
            }
            let label = server.playbacks.sessions.begin(for: request, of: path.stream, server)
            server.playbacks.ask(
                .qualities(content, label: label), of: path, request, exchange, on: context.eventLoop, server)
        } catch {
            exchange.refuse(error)
        }
    }

    /// Answers a request for a playlist or a segment.
    func play(_ request: Request, _ exchange: Exchange) {
        guard let context else { return }
        do throws(Problem) {
            guard let address = PlaybackAddress(request.target.path),
                let path = server.services.livePath(at: address.streamPath)
            else { throw Problem(.notFound, "there is no such stream") }
            if address.name == PlaybackAddress.permission {
                try server.playbacks.sessions.play(address.label, request, of: path.stream, server)
                return exchange.respond(Response(.noContent))
            }
            let question = try PlaybackRequest.Question(address.name, request.target.query)
            if request.method == .get {
                try server.playbacks.sessions.play(address.label, request, of: path.stream, server)
            }
            server.playbacks.ask(question, of: path, request, exchange, on: context.eventLoop, server)
        } catch {
            exchange.refuse(error)
        }
    }
}

extension PlaybackRequest.Question {
    /// - Parameter name: the last part of the URL's path.
    fileprivate init(_ name: String, _ query: Query) throws(Problem) {
        if let name = ResourceName(name) {
            self = .media(name)
            return
        }
        guard let name = PlaylistName(name) else { throw Problem(.notFound, "there is nothing at this path") }
        do throws(ReloadDirectives.Failure) {
            self = .playlist(name, try ReloadDirectives { query[$0] })
        } catch {
            throw Problem(.badRequest, "\(error)")
        }
    }
}

extension PlaylistName.Content {
    /// Reads `audio=0` and `video=0`.
    fileprivate init(_ query: Query) throws(Problem) {
        let selection = try LiveSelection(query)
        guard selection.duration == nil else { throw Problem(.badRequest, "HLS has no duration") }
        self = selection.kinds.count == 2 ? .all : selection.kinds.contains(.video) ? .video : .audio
    }
}

import HTTP
import MP4
import Media
import NIOCore
import NIOHTTP1
import RTSP

/// Responses with live bodies.
extension RequestHandler {
    /// A live body that is the response to the current request.
    struct Watching {
        let viewer: LiveViewer
        let viewers: LiveLoop
    }

    /// Answers `GET /PATH/index.mp4`.
    func watch(_ request: Request, to number: UInt64) {
        guard current?.number == number, let context else { return }
        do throws(Problem) {
            let (path, selection) = try livePath(of: request)
            if request.method == .head { return try describeBody(of: path, selection) }
            let connection = LiveConnection(gate, framing)
            let file = EndlessFile(connection, of: self, readsBlocks: request.isFromBrowsersPlayer)
            let viewer = try viewer(of: path, selection, for: request, .inBand, file)
            let viewers = server.live.viewers(on: context.eventLoop, of: server)
            watching = Watching(viewer: viewer, viewers: viewers)
            let patience = path.stream.demand.startMilliseconds ?? server.options.firstMediaMilliseconds
            viewers.add(viewer, patience: patience)
        } catch {
            refuse(error)
        }
    }

    /// The stream of a request, and what its client wants of it.
    func livePath(of request: Request) throws(Problem) -> (LivePath, LiveSelection) {
        (try watchedPath(of: request), try LiveSelection(request.target.query))
    }

    /// The stream of a request.
    func watchedPath(of request: Request) throws(Problem) -> LivePath {
        guard let path = request.streamPath.flatMap(server.services.livePath), !path.stream.hasEnded else {
            throw Problem(.notFound, "there is no such stream")
        }
        return path
    }

    func viewer(
        of path: LivePath, _ selection: LiveSelection, for request: Request, _ placement: ParameterSetPlacement,
        _ body: any LiveBody
    ) throws(Problem) -> LiveViewer {
        let maximumCount = server.options.connection.maximumViewerCount
        guard let count = ConnectionViewer(by: server.services, on: connection, maximumCount: maximumCount) else {
            throw Problem(.serviceUnavailable, "there are too many viewers", retryAfter: 5)
        }
        let isFile = placement == .inBand
        let facts = LiveViewer.Facts(
            path: path, selection: selection, placement: placement, minimumFastStartFrames: isFile ? nil : 0,
            transport: isFile ? "MP4" : "WebSocket", client: request.client, grant: request.grant,
            isPermitted: access.permission(of: request, toWatch: path.stream.path))
        return LiveViewer(server.services.nextViewerID().number, facts, count, body: body, at: .now())
    }

    /// Answers HEAD. The codecs are known only while the source runs, which this does not start.
    private func describeBody(of path: LivePath, _ selection: LiveSelection) throws(Problem) {
        var type = "\(selection.kinds.contains(.video) ? "video" : "audio")/mp4"
        if let tracks = path.stream.stream(for: LivePackager.self).announcement?.tracks {
            let head = LivePackager(tracks: tracks, options: .inBand).head
            guard let segment = head?.selecting(selection.admits) else {
                throw LiveEnd.noTracks.problem
            }
            type = segment.contentType
        }
        beginBody(as: type)
        endBody(keepsConnection: current?.keepsConnection ?? false)
    }

    /// What stands around the pieces of a body without a known length.
    var framing: LiveConnection.Framing {
        if gate.isMultiplexed { return .stream }
        // HTTP/1.0 does not know chunks.
        return current?.isHTTP10 == true ? .none : .chunks
    }

    // MARK: Orders of the body

    /// Sends the head of the response.
    func beginBody(as contentType: String) {
        guard let context, let current else { return }
        var response = HTTPResponseHead(version: framing == .none ? .http1_0 : .http1_1, status: .ok)
        response.headers = headers(of: Response(headers: [("Content-Type", contentType)]), hasLength: false)
        for (name, value) in current.crossOrigin { response.headers.add(name: name, value: value) }
        if framing == .none || framing == .chunks && !current.keepsConnection {
            response.headers.add(name: "Connection", value: "close")
        }
        if framing == .chunks { response.headers.add(name: "Transfer-Encoding", value: "chunked") }
        context.write(wrapOutboundOut(.head(response)), promise: nil)
    }

    /// Sends an error response, because the body cannot begin.
    func refuseBody(_ problem: Problem) {
        watching = nil
        refuse(problem)
    }

    /// The body is complete.
    func endBody(keepsConnection: Bool) {
        watching = nil
        guard let current = current.take() else { return }
        let keepsConnection = keepsConnection && current.keepsConnection && !current.isHTTP10
        gate.afterSending { [gate] in gate.responseWasSent(keepsConnection: keepsConnection) }
    }

    /// Closes the connection at once.
    func abortBody() {
        watching = nil
        current = nil
        context?.close(promise: nil)
    }

    // MARK: Events of the channel

    /// The client takes no more.
    func bodyWasLeft() {
        guard let watching = watching.take() else { return }
        watching.viewers.remove(watching.viewer)
    }

    func bodyMayContinue() {
        guard let watching else { return }
        watching.viewers.becameWritable(watching.viewer)
    }
}

extension Request {
    /// Whether the `<video>` of a browser asks for a media file: for the whole of it, and not compressed. Other players send only one of
    /// these headers, or neither.
    fileprivate var isFromBrowsersPlayer: Bool {
        values(of: "Range") == ["bytes=0-"] && values(of: "Accept-Encoding").first?.hasPrefix("identity") == true
    }
}

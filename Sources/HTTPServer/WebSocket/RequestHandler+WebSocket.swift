import HTTP
import NIOCore
import NIOHTTP1
import NIOWebSocket
import RTSP

/// The handshake of a WebSocket (RFC 6455, section 4.2).
extension RequestHandler {
    /// Answers a request for a WebSocket. Afterwards the handlers of HTTP are no longer in the pipeline.
    func openSocket(_ request: Request, to number: UInt64, isOfGo2rtc: Bool) {
        guard current?.number == number, let context else { return }
        do throws(Problem) {
            guard let gate = gate as? RequestGate else {
                throw Problem(.upgradeRequired, "this address is a WebSocket, which needs a connection with HTTP/1.1")
            }
            let answer = try handshakeAnswer(to: request, on: context)
            let connection = LiveConnection(gate, .webSocket)
            let socket = SocketHandler(server, connection, gate: gate, facts: self.connection) { [access] in
                access.rights(of: request)
            }
            if isOfGo2rtc {
                socket.dialect = .go2rtc(try go2rtcOffer(to: request))
            } else if request.streamPath != nil {
                let (path, selection) = try livePath(of: request)
                socket.viewer = try viewer(of: path, selection, for: request, .outOfBand, socket)
            }
            hand(over: context, gate, to: socket, answer)
        } catch {
            refuse(error)
        }
    }

    /// What makes the viewer of a client of go2rtc, once it has named its codecs.
    private func go2rtcOffer(to request: Request) throws(Problem) -> Go2rtcOffer {
        _ = try watchedPath(of: request)
        return { [self] (selection, socket) throws(Problem) in
            let path = try watchedPath(of: request)
            let viewer = try viewer(of: path, selection, for: request, .outOfBand, socket)
            guard viewer.facts.isPermitted() else { throw LiveEnd.notPermitted.problem }
            return viewer
        }
    }

    private func handshakeAnswer(to request: Request, on context: ChannelHandlerContext) throws(Problem) -> HTTPHeaders
    {
        let tokens = request.headers[canonicalForm: "Upgrade"].map { $0.lowercased() }
        guard tokens.contains("websocket") else {
            throw Problem(
                .upgradeRequired, "this address is a WebSocket", headers: [.init(name: "Upgrade", value: "websocket")])
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: request.target.text, headers: request.headers)
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        let answer = upgrader.buildUpgradeResponse(
            channel: context.channel, upgradeRequest: head, initialResponseHeaders: [:])
        var headers: HTTPHeaders?
        // On the loop, the future is complete already.
        answer.assumeIsolated().whenSuccess { headers = $0 }
        guard let headers else {
            throw Problem(
                .badRequest, "the handshake of the WebSocket is malformed",
                headers: [.init(name: "Sec-WebSocket-Version", value: "13")])
        }
        return headers
    }

    /// Sends the answer, and replaces the handlers of HTTP.
    private func hand(
        over context: ChannelHandlerContext, _ gate: RequestGate, to socket: SocketHandler, _ answer: HTTPHeaders
    ) {
        current = nil
        var head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols)
        head.headers = answer
        head.headers.add(name: "Server", value: server.options.serverName)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        let pipeline = context.channel.pipeline.syncOperations
        let early = gate.handOver()
        do {
            try pipeline.addHandler(
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: ClientMessage.maximumByteCount)))
            try pipeline.addHandler(
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 64,
                    maxAccumulatedFrameSize: ClientMessage.maximumByteCount))
            try pipeline.addHandler(socket)
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
            pipeline.removeHandler(context: decoder, promise: nil)
            let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
            pipeline.removeHandler(context: encoder, promise: nil)
            pipeline.removeHandler(context: context, promise: nil)
        } catch {
            // It cannot happen: all handlers are there.
            return gate.abort()
        }
        gate.begin(socket, with: early)
    }
}

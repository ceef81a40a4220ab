import NIOCore
import NIOHTTP1
import NIOWebSocket
import RTSP

/// The connection of one viewer over HTTP: sends one request after the other, and answers a challenge for a password. Confined to the
/// event loop.
final class ViewerConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let authority: String
    private var login: ClientLogin?
    private let viewer: any HTTPViewer
    private var context: ChannelHandlerContext?
    /// What the last request was for.
    private var target = ""
    private var headers = HTTPHeaders()
    /// A challenge has come; the request is repeated when its response is complete.
    private var isChallenged = false
    /// Another challenge after an answer means that the password is wrong.
    private var hasAnsweredChallenge = false

    init(_ stream: HTTPStream, of viewer: any HTTPViewer) {
        (authority, login, self.viewer) = (stream.authority, stream.login, viewer)
    }

    /// Requests this; the response to the request before is complete.
    ///
    /// - Parameters:
    ///   - target: path and query, still encoded.
    ///   - headers: those of this request alone.
    func get(_ target: String, with headers: HTTPHeaders) {
        (self.target, self.headers) = (target, headers)
        guard let context else { return }
        var fields: HTTPHeaders = ["Host": authority, "User-Agent": "apus-bench"]
        fields.add(contentsOf: headers)
        if let authorization = login?.authorization(for: Method(rawValue: "GET"), target) {
            fields.add(name: "Authorization", value: authorization)
        }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// The same for a resource of this media type.
    func get(_ target: String, as mediaType: String) { get(target, with: ["Accept": mediaType]) }

    func close() { context?.close(promise: nil) }

    /// Makes the connection a WebSocket. What comes from now on is for the handler.
    func become(_ socket: SocketConnection) {
        guard let context = context.take() else { return }
        let pipeline = context.pipeline.syncOperations
        let reader = ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: SocketConnection.maximumByteCount))
        do {
            // Bytes behind the response, which the decoder of HTTP has, come to the next handler when that one is removed.
            try pipeline.addHandlers(reader, WebSocketFrameEncoder(), socket)
            let responses = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let requests = try pipeline.handler(type: HTTPRequestEncoder.self)
            for handler: any RemovableChannelHandler in [self, requests, responses] {
                pipeline.removeHandler(handler, promise: nil)
            }
        } catch {
            viewer.end(.failed("\(error)"))
            context.close(promise: nil)
        }
    }

    /// Calls the closure after this time, unless the connection has closed.
    func schedule(after milliseconds: Int64, _ action: @escaping () -> Void) {
        context?.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) { [self] in
            if context != nil { action() }
        }
    }

    // MARK: The channel

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        viewer.connected(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        viewer.end(.endedByServer)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        viewer.end(.failed("\(error)"))
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if !hasAnsweredChallenge, head.status == .unauthorized,
                login?.handleChallenges(head.headers["WWW-Authenticate"]) == true
            {
                (isChallenged, hasAnsweredChallenge) = (true, true)
            } else {
                viewer.received(head)
            }
        case .body(let bytes): if !isChallenged { viewer.received(bytes) }
        case .end where isChallenged:
            isChallenged = false
            get(target, with: headers)
        case .end: viewer.receivedEnd()
        }
    }
}

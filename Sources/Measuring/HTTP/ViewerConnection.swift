import NIOCore
import NIOHTTP1
import RTSP

/// The connection of one viewer over HTTP: sends one request after the other, and answers a challenge for a password. Confined to the
/// event loop.
final class ViewerConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let authority: String
    private var login: ClientLogin?
    private let viewer: any HTTPViewer
    private var context: ChannelHandlerContext?
    /// What the last request was for.
    private var target = ""
    private var mediaType = ""
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
    ///   - mediaType: what the viewer accepts.
    func get(_ target: String, as mediaType: String) {
        (self.target, self.mediaType) = (target, mediaType)
        guard let context else { return }
        var fields: HTTPHeaders = ["Host": authority, "User-Agent": "apus-bench", "Accept": mediaType]
        if let authorization = login?.authorization(for: Method(rawValue: "GET"), target) {
            fields.add(name: "Authorization", value: authorization)
        }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func close() { context?.close(promise: nil) }

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
            get(target, as: mediaType)
        case .end: viewer.receivedEnd()
        }
    }
}

import MP4
import Media
import NIOCore
import NIOWebSocket
import RTSP

/// A WebSocket with a client: media in binary messages if it has a viewer, and messages in JSON in both directions. Confined to the
/// event loop.
///
/// ```
///   handshake ──▶ open ──────────────────────────▶ closing ──▶ closed
///                  │  client: close, broken rule      ▲ the close message is sent; nothing is read any more
///                  │  server: viewer ended, silence   │
///                  └──────────────────────────────────┘
/// ```
final class SocketHandler: ChannelInboundHandler, LiveBody {
    typealias InboundIn = WebSocketFrame

    /// The pause between two Pings, which are sent only while there are no media, and how long they may remain unanswered, in seconds.
    private static let (pingInterval, longestSilence) = (TimeAmount.seconds(5), Int64(15))
    /// Messages that may come at once, and one more each so many nanoseconds.
    private static let messages = TokenBucket.Limits(burst: 20, every: 200_000_000)

    let connection: LiveConnection
    /// `nil` without media.
    var viewer: LiveViewer?
    /// The protocol of the messages.
    var dialect = SocketDialect.page
    private let server: ServerContext
    private let gate: RequestGate
    /// Counts as a connection as long as it lasts.
    private let facts: ConnectionFacts
    private var rights: ClientRights
    /// Determines the rights anew.
    private let currentRights: () -> ClientRights
    private var topics = SocketTopics()
    /// `nil` unless the client has subscribed to the events.
    private var events: SocketEvents?
    private var allowance = TokenBucket(messages)
    /// When the first Ping was sent since the client was heard.
    private var unansweredSince: MonotonicTime?
    /// The bytes that had been written when the timer last looked.
    private var lastByteCount = 0
    private(set) var viewers: LiveLoop?
    private var timer: ConnectionTimer?
    private var isClosing = false

    init(
        _ server: ServerContext, _ connection: LiveConnection, gate: RequestGate, facts: ConnectionFacts,
        rights: @escaping () -> ClientRights
    ) {
        (self.server, self.connection, self.gate, self.facts) = (server, connection, gate, facts)
        (self.rights, currentRights) = (rights(), rights)
    }

    /// The handshake is complete.
    func begin(on loop: any EventLoop) {
        let timer = ConnectionTimer(on: loop) { [self] in timeIsUp() }
        timer.set(after: Self.pingInterval)
        self.timer = timer
        let viewers = server.live.viewers(on: loop, of: server)
        self.viewers = viewers
        guard case .page = dialect else { return }
        send(.hello(viewer: viewer?.id, SessionReport(server, rights)))
        topics.stream = viewer?.facts.path.stream.path
        viewers.catalog.add(self)
        if let viewer { viewers.add(viewer, patience: nil) }
    }

    /// The access policy has changed. A socket with media has been ended if it is no longer permitted.
    func review() {
        rights = currentRights()
        if viewer == nil, !rights.admits(.read, nil) { end(.notPermitted) }
        if !rights.admits(.status, nil) { endEvents() }
        viewers?.catalog.ask()
    }

    // MARK: The channel

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, !isClosing {
            if let viewer { viewers?.becameWritable(viewer) }
            events?.send()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The client has closed its direction without a close message.
        if case .some(.inputClosed) = event as? ChannelEvent { gate.abort() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            close(.broken("the message is malformed, or longer than \(ClientMessage.maximumByteCount) bytes"))
        default: gate.abort()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let frame = unwrapInboundIn(data)
        unansweredSince = nil
        switch frame.opcode {
        case .text: received(Array(frame.unmaskedData.readableBytesView))
        case .ping:
            guard allowance.takeOne(at: .now()) else { return close(.broken("there are too many messages")) }
            connection.write(Array(frame.unmaskedData.readableBytesView), as: .pong)
            connection.flush()
        case .pong: break
        case .connectionClose: close(SocketEnd(1000, ""))
        default: close(.broken("clients send no binary messages"))
        }
    }

    // MARK: Messages

    private func received(_ bytes: [UInt8]) {
        guard allowance.takeOne(at: .now()) else { return close(.broken("there are too many messages")) }
        if case .go2rtc(let offer) = dialect { return received(go2rtc: bytes, offer) }
        do throws(ClientMessage.Failure) {
            switch try ClientMessage(parsing: bytes) {
            case .ping(let id): send(.pong(id: id, time: unixMilliseconds()))
            case .subscribe(let topic): subscribe(topic)
            case .unsubscribe(.events): endEvents()
            case .unsubscribe(let topic): topics.unsubscribe(topic)
            // A later version of the page may know more messages.
            case .unknown: break
            }
        } catch {
            close(.broken("the message is not what the server understands"))
        }
    }

    private func subscribe(_ topic: ClientMessage.Topic) {
        switch topic {
        case .viewers(let path) where !rights.admits(.status, path):
            return send(.error(text: "this needs the right status for \(path)", about: "subscribe"))
        case .events: return subscribeToEvents()
        default: break
        }
        guard topics.subscribe(topic) else {
            return send(.error(text: "there is no such topic, or there are too many", about: "subscribe"))
        }
        viewers?.catalog.ask()
    }

    private func subscribeToEvents() {
        guard rights.admits(.status, nil) else {
            return send(.error(text: "this needs the right status for the whole server", about: "subscribe"))
        }
        guard events == nil, let loop = viewers?.catalog.loop else { return }
        events = SocketEvents(of: server.catalog, over: connection, on: loop)
        if events == nil { send(.error(text: "too many clients follow the events", about: "subscribe")) }
    }

    private func endEvents() {
        events?.end()
        events = nil
    }

    /// The paths of which the client has subscribed to the list of viewers.
    var watchedPaths: Set<String> { topics.viewers }

    /// Tells the client what has changed, with the next frame.
    ///
    /// - Parameter isForAll: whether all changes are told; otherwise those of states.
    func received(_ streams: [CatalogStream], isForAll: Bool) {
        // A client that does not read gets the state later.
        guard !isClosing, connection.isWritable else { return }
        for message in topics.messages(about: streams, isForAll: isForAll, for: rights) {
            connection.write(message, as: .text)
        }
        if viewer == nil { connection.flush() }
    }

    func received(viewers json: [UInt8], of path: String) {
        guard !isClosing, connection.isWritable, topics.viewers.contains(path), rights.admits(.status, path) else {
            return
        }
        connection.write(SocketTopics.message(viewers: json, of: path), as: .text)
        connection.flush()
    }

    private func send(_ message: ServerMessage) {
        guard !isClosing else { return }
        connection.write(json(message), as: .text)
        connection.flush()
    }

    private func timeIsUp() {
        guard !isClosing else { return gate.abort() }
        timer?.set(after: Self.pingInterval)
        defer { lastByteCount = connection.byteCount }
        // Whether a client takes its media is watched by the policy for slow viewers.
        guard viewer == nil || connection.byteCount == lastByteCount else { return }
        let now = MonotonicTime.now()
        let since = unansweredSince ?? now
        guard now - since < Self.longestSilence * 1_000_000_000 else { return gate.abort() }
        unansweredSince = since
        connection.write([], as: .ping)
        connection.flush()
    }

    // MARK: The end

    func close(_ end: SocketEnd) {
        guard !isClosing else { return }
        isClosing = true
        leave()
        connection.write(end.bytes, as: .close)
        gate.close()
    }

    /// Ends the viewer and the timer.
    private func leave() {
        timer?.cancel()
        timer = nil
        endEvents()
        if let viewer { viewers?.remove(viewer) }
        viewer = nil
        viewers?.catalog.remove(self)
    }

    // MARK: The media

    func begin(_ initSegment: InitSegment, after former: InitSegment?) -> Bool {
        if case .go2rtc = dialect { return begin(go2rtc: initSegment, after: former) }
        let tracks = initSegment.tracks.map { $0.kind == .video ? "video" : "audio" }
        send(
            .initSegment(
                generation: initSegment.generation.number, contentType: initSegment.contentType, tracks: tracks))
        connection.write(initSegment.bytes)
        connection.flush()
        return true
    }

    /// A message is taken as it comes.
    func caughtUp(at now: MonotonicTime) {}

    func dropped(_ frameCount: Int) {
        if case .page = dialect { send(.drop(frames: frameCount)) }
    }

    func end(_ reason: LiveEnd) {
        viewer = nil
        if case .go2rtc = dialect { end(go2rtc: reason) }
        close(SocketEnd(reason))
    }
}

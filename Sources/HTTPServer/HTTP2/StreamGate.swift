import HTTP
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The gate of one HTTP/2 stream: it checks its request (``StreamRequest``), watches the time that the client takes, and counts what the
/// stream has not sent. It stands before SwiftNIO's translation into HTTP/1.1 (`HTTP2FramePayloadToHTTP1ServerCodec`). Confined to the
/// event loop.
///
/// ```
///              complete request           its turn                response sent
///   receiving ──────────────────▶ waiting ────────▶ answering ───────────────▶ ended
///       │ failure, too slow                            ▲
///       └──────────────────────────────────────────────┘
/// ```
/// A stream that is reset by either side has ended, too.
final class StreamGate: ChannelDuplexHandler, HTTPGate {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum Phase {
        case receiving
        /// For the turn of the request, with its last frame.
        case waiting(HTTP2Frame.FramePayload)
        case answering
        case ended
    }

    private let options: ConnectionOptions
    private let connection: HTTP2Connection
    private var phase = Phase.receiving
    private var hasHead = false
    private var bodyByteCount = 0
    /// Whether the client has ended its direction, and the server its own.
    private var (isRequestComplete, isResponseComplete) = (false, false)
    /// Whether the response is a live body. A live body has a limit of its own, so its bytes do not count against that of the connection.
    private var isLive = false
    private(set) var bufferedByteCount = 0
    /// What is called once nothing waits any more.
    private var drained: (() -> Void)?
    private var timer: ConnectionTimer?
    private var context: ChannelHandlerContext?

    init(_ options: ConnectionOptions, on connection: HTTP2Connection) {
        (self.options, self.connection) = (options, connection)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.streamOpened()
        let timer = ConnectionTimer(on: context.eventLoop) { [self] in deadlinePassed() }
        timer.set(after: options.request)
        self.timer = timer
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        guard context != nil else { return }
        context = nil
        phase = .ended
        drained = nil
        timer?.cancel()
        connection.streamClosed(self, bodyByteCount: bodyByteCount)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .receiving = phase else { return }
        let payload = unwrapInboundIn(data)
        do throws(RequestFailure) {
            switch payload {
            case .headers(let content):
                if !hasHead { try receivedHead(content.headers, context) }
                isRequestComplete = content.endStream
            case .data(let content):
                guard try receivedBody(content.data.readableBytes) else { return reset(.refusedStream) }
                isRequestComplete = content.endStream
            // The others are those of the connection, or an extension.
            default: return
            }
        } catch {
            return refuse(error)
        }
        guard isRequestComplete else { return context.fireChannelRead(wrapInboundOut(payload)) }
        timer?.set(after: nil)
        phase = .waiting(payload)
        connection.requestIsComplete(self)
    }

    private func receivedHead(_ headers: HPACKHeaders, _ context: ChannelHandlerContext) throws(RequestFailure) {
        hasHead = true
        guard try StreamRequest(headers, options.requests).expectsContinue else { return }
        let response = HTTP2Frame.FramePayload.Headers(headers: [":status": "100"])
        context.writeAndFlush(wrapOutboundOut(.headers(response)), promise: nil)
    }

    /// - Returns: false if the requests of the connection have too many bytes together.
    private func receivedBody(_ byteCount: Int) throws(RequestFailure) -> Bool {
        guard bodyByteCount + byteCount <= options.requests.bodyByteCount else {
            throw .bodyTooLong(limit: options.requests.bodyByteCount)
        }
        guard connection.keepsBody(byteCount) else { return false }
        bodyByteCount += byteCount
        return true
    }

    private func refuse(_ failure: RequestFailure) {
        beginAnswer()
        context?.fireUserInboundEventTriggered(GateEvent.refused(failure))
    }

    private func beginAnswer() {
        phase = .answering
        timer?.set(after: nil)
    }

    /// It is this request's turn.
    func answer() {
        guard case .waiting(let payload) = phase, let context else { return }
        beginAnswer()
        context.fireChannelRead(wrapInboundOut(payload))
    }

    private func deadlinePassed() {
        switch phase {
        case .receiving:
            beginAnswer()
            context?.fireUserInboundEventTriggered(GateEvent.tooSlow)
        case .waiting, .answering, .ended: context?.close(promise: nil)
        }
    }

    private func reset(_ code: HTTP2ErrorCode) {
        phase = .ended
        context?.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .headers(var content):
            if content.endStream { isResponseComplete = true }
            content.headers = content.headers.notIndexed
            context.write(wrapOutboundOut(.headers(content)), promise: promise)
        case .data(let content):
            if content.endStream { isResponseComplete = true }
            write(content, promise ?? context.eventLoop.makePromise(), context)
        case let payload: context.write(wrapOutboundOut(payload), promise: promise)
        }
    }

    private func write(
        _ content: HTTP2Frame.FramePayload.Data, _ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext
    ) {
        let (byteCount, isOfConnection) = (content.data.readableBytes, !isLive)
        bufferedByteCount += byteCount
        if isOfConnection { connection.waitsToSend(byteCount) }
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            bufferedByteCount -= byteCount
            if isOfConnection { connection.waitsToSend(-byteCount) }
            if case .success = result, bufferedByteCount == 0, let action = drained.take() { action() }
        }
        context.write(wrapOutboundOut(.data(content)), promise: promise)
    }

    func responseIsComplete() { timer?.set(after: options.idle) }

    func responseWasSent(keepsConnection: Bool) {
        guard let context else { return }
        timer?.set(after: nil)
        if !isResponseComplete {
            let end = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
            self.write(context: context, data: NIOAny(HTTP2Frame.FramePayload.data(end)), promise: nil)
            context.flush()
        }
        // The client need not send the rest of its request (RFC 9113, section 8.1).
        if !isRequestComplete { reset(.noError) }
    }

    // MARK: Live bodies

    var isMultiplexed: Bool { true }

    var isWritable: Bool { context?.channel.isWritable ?? false }

    func buffer(_ byteCount: Int) -> ByteBuffer {
        context?.channel.allocator.buffer(capacity: byteCount) ?? ByteBuffer()
    }

    func write(_ bytes: ByteBuffer) {
        guard let context else { return }
        write(.init(data: .byteBuffer(bytes)), context.eventLoop.makePromise(), context)
    }

    func flush() { context?.flush() }

    func afterSending(_ action: @escaping () -> Void) {
        flush()
        if bufferedByteCount == 0 { action() } else { drained = action }
    }

    func limitUnsentBytes() {
        isLive = true
        context?.channel.parent?.limitUnsentBytes()
    }
}

extension HPACKHeaders {
    /// The same headers, none of which enters the encoder's table. The client chooses the size of that table, up to 4 GB, and each
    /// header is searched in it one by one.
    fileprivate var notIndexed: HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(count)
        for (name, value, _) in self { headers.add(name: name, value: value, indexing: .nonIndexable) }
        return headers
    }
}

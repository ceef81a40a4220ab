import DequeModule
import NIOCore
import NIOHTTP2

/// What the streams of one HTTP/2 connection share: the order in which their requests are answered, and the limits that hold for all of
/// them together. It stands behind SwiftNIO's handler of HTTP/2, and closes the connection. Confined to the event loop.
final class HTTP2Connection: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// Requests that are answered before others get their turn, as with HTTP/1.1.
    private static let requestsPerTurn = 16
    /// Bytes of responses that wait to be sent, beyond which further requests wait: a client that opens all its streams and reads
    /// nothing holds no more than this and one response. Live bodies are limited by themselves.
    private static let unsentByteCount = 1_048_576
    /// The longest bodies of requests that are kept at the same time.
    private static let bodyCount = 4

    private let options: ConnectionOptions
    private let refused: (any Error) -> Void
    private var context: ChannelHandlerContext?
    private var streamCount = 0
    private var bodyByteCount = 0
    private var unsentByteCount = 0
    /// Complete requests, in their order.
    private var waiting = Deque<StreamGate>()
    private var answeredCount = 0
    private var isAnswering = false
    private var hasFailed = false
    /// Fires when the connection has had no stream for some time.
    private var idleTimer: ConnectionTimer?
    /// Fires when the client has taken nothing for some time.
    private var stallTimer: ConnectionTimer?

    /// - Parameter refused: is told why the connection is closed.
    init(_ options: ConnectionOptions, refused: @escaping (any Error) -> Void) {
        (self.options, self.refused) = (options, refused)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let close = { [self] in
            if let context = self.context { context.channel.close(promise: nil) }
        }
        idleTimer = ConnectionTimer(on: context.eventLoop, fire: close)
        stallTimer = ConnectionTimer(on: context.eventLoop, fire: close)
        idleTimer?.set(after: options.idle)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        // SwiftNIO keeps the streams that have got frames until the end of the read, which does not come if the connection fails
        // meanwhile. Then neither they nor the connection would be released (swift-nio-http2 1.46).
        context.pipeline.fireChannelReadComplete()
        context.fireChannelInactive()
    }

    private func end() {
        idleTimer?.cancel()
        stallTimer?.cancel()
        waiting = []
        context = nil
    }

    /// Frames that belong to no stream have been acted on.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // A stream that takes nothing ends by itself, but its end could not be sent either.
        stallTimer?.set(after: context.channel.isWritable ? nil : options.idle)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that has closed its direction sends no window for the responses either.
        if case .some(.inputClosed) = event as? ChannelEvent { return context.channel.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // The stream has been told, or has ended already.
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.StreamClosed: return
        default: break
        }
        // A malformed request closes the connection, as over HTTP/1.1 (permitted by RFC 9113, section 5.4.1): SwiftNIO does not tell
        // errors of streams from those of the connection, after which nothing more must be read.
        if !hasFailed { refused(error) }
        // SwiftNIO has said goodbye because of its own errors.
        if error is FrameLimiter.Excess { sayGoodbye(.enhanceYourCalm, context) }
        hasFailed = true
        context.close(promise: nil)
    }

    /// Says goodbye before the connection is closed (RFC 9113, section 6.8), unless SwiftNIO has said why it failed.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if !hasFailed { sayGoodbye(.noError, context) }
        context.close(mode: mode, promise: promise)
    }

    private func sayGoodbye(_ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
        guard !hasFailed, context.channel.isActive else { return }
        hasFailed = true
        let goodbye = HTTP2Frame.FramePayload.goAway(lastStreamID: .maxID, errorCode: code, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: goodbye)), promise: nil)
    }

    // MARK: Streams

    func streamOpened() {
        streamCount += 1
        idleTimer?.set(after: nil)
    }

    /// - Parameter bodyByteCount: the bytes of its request.
    func streamClosed(_ gate: StreamGate, bodyByteCount: Int) {
        streamCount -= 1
        self.bodyByteCount -= bodyByteCount
        waiting.removeAll { $0 === gate }
        if streamCount == 0 { idleTimer?.set(after: options.idle) }
    }

    /// Counts bytes of a request's body; false if there are too many.
    func keepsBody(_ byteCount: Int) -> Bool {
        guard bodyByteCount + byteCount <= Self.bodyCount * options.requests.bodyByteCount else { return false }
        bodyByteCount += byteCount
        return true
    }

    /// Counts bytes of responses that have been written, or, if negative, sent.
    func waitsToSend(_ byteCount: Int) {
        unsentByteCount += byteCount
        if byteCount < 0 { answerWaiting() }
    }

    /// A request is to be answered when it is its turn.
    func requestIsComplete(_ gate: StreamGate) {
        waiting.append(gate)
        answerWaiting()
    }

    private func answerWaiting() {
        guard !isAnswering else { return }
        isAnswering = true
        defer { isAnswering = false }
        while answeredCount < Self.requestsPerTurn, unsentByteCount < Self.unsentByteCount,
            let gate = waiting.popFirst(), let context
        {
            if answeredCount == 0 {
                let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
                context.eventLoop.execute {
                    bound.value.answeredCount = 0
                    bound.value.answerWaiting()
                }
            }
            answeredCount += 1
            gate.answer()
        }
    }
}

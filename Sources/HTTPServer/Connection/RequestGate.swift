import HTTP
import NIOCore

/// Lets one request at a time through to the parser (``RequestFraming``), and watches the time that a client takes. The bytes of
/// further requests wait here while one is answered, or in the kernel if they are many. Confined to the event loop.
///
/// ```
///              complete request            response sent
///   receiving ──────────────────▶ answering ────────────▶ receiving      if the connection is kept
///       │ failure, too slow           └─────────────────▶ discarding     what comes is not read, until the client has closed
///       └───────▶ answering                                 or a second has passed
/// ```
///
/// A connection that becomes a WebSocket is `handedOver`: bytes pass in both directions as they come.
final class RequestGate: ChannelDuplexHandler, RemovableChannelHandler, HTTPGate {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private enum Phase {
        case receiving
        case answering
        case discarding
        case handedOver
    }

    /// How long a closing connection waits for the client to read the response, in seconds.
    private static let lingering = TimeAmount.seconds(1)
    /// Requests that are answered before others get their turn.
    private static let requestsPerTurn = 16
    private static let allocator = ByteBufferAllocator()

    private let options: ConnectionOptions
    private var framing: RequestFraming
    private var phase = Phase.receiving
    private var isInputClosed = false
    /// Bytes behind the request that is answered.
    private var waiting = ByteBuffer()
    private var isProcessing = false
    private var timer: ConnectionTimer?
    private var context: ChannelHandlerContext?
    /// Whether the channel takes more without keeping it: asked for each frame, told by the channel only when it changes.
    private(set) var isWritable = false

    init(_ options: ConnectionOptions) {
        self.options = options
        framing = RequestFraming(limits: options.requests)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
        let timer = ConnectionTimer(on: context.eventLoop) { [self] in deadlinePassed() }
        timer.set(after: options.idle)
        self.timer = timer
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        timer?.cancel()
        context = nil
        isWritable = false
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .discarding: return
        case .handedOver: return context.fireChannelRead(data)
        case .receiving, .answering: break
        }
        var bytes = unwrapInboundIn(data)
        waiting.writeBuffer(&bytes)
        process()
    }

    /// Reads no more while more waits than the longest request has.
    func read(context: ChannelHandlerContext) {
        if phase != .answering || waiting.readableBytes < options.maximumWaitingByteCount { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(.inputClosed) = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        isInputClosed = true
        switch phase {
        case .answering: context.fireUserInboundEventTriggered(GateEvent.clientLeft)
        case .receiving, .discarding: context.close(promise: nil)
        case .handedOver: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Requests

    /// Passes on the next request as far as it has arrived.
    private func process() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        var count = 0
        while phase == .receiving, waiting.readableBytes > 0, let context {
            guard count < Self.requestsPerTurn else {
                let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
                return context.eventLoop.execute { bound.value.process() }
            }
            count += 1
            receive(context)
        }
        if waiting.readableBytes == 0 { waiting.clear() }
    }

    private func receive(_ context: ChannelHandlerContext) {
        let wasInside = framing.isInsideRequest
        do throws(RequestFailure) {
            let count = try framing.received(Array(waiting.readableBytesView)[...])
            if !wasInside { timer?.set(after: options.request) }
            if framing.isComplete { beginAnswer() }
            // `count` is at most the number of readable bytes.
            if let bytes = waiting.readSlice(length: count) { context.fireChannelRead(wrapInboundOut(bytes)) }
        } catch {
            beginAnswer()
            waiting.clear()
            context.fireUserInboundEventTriggered(GateEvent.refused(error))
        }
        if phase == .receiving, framing.expectsContinue { sendContinue(context) }
    }

    private func beginAnswer() {
        phase = .answering
        timer?.set(after: nil)
    }

    /// Tells a client that waits before it sends the body that it may send it. Its length has been checked.
    private func sendContinue(_ context: ChannelHandlerContext) {
        var bytes = context.channel.allocator.buffer(capacity: 32)
        bytes.writeString("HTTP/1.1 100 Continue\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }

    // MARK: Responses

    func responseIsComplete() { timer?.set(after: options.idle) }

    func responseWasSent(keepsConnection: Bool) {
        guard let context, phase == .answering else { return }
        guard keepsConnection, !isInputClosed else { return finish(context) }
        framing.begin()
        phase = .receiving
        timer?.set(after: options.idle)
        process()
        if phase == .receiving { context.read() }
    }

    /// Closes the server's direction, and waits until the client has read what was sent: if the connection were closed with unread
    /// bytes, the kernel would reset it, and the client might lose the response.
    private func finish(_ context: ChannelHandlerContext) {
        guard !isInputClosed else { return context.close(promise: nil) }
        phase = .discarding
        waiting.clear()
        timer?.set(after: Self.lingering)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    private func deadlinePassed() {
        guard let context, phase != .handedOver else { return }
        guard phase == .receiving, framing.isInsideRequest else { return context.close(promise: nil) }
        beginAnswer()
        context.fireUserInboundEventTriggered(GateEvent.tooSlow)
    }
}

// MARK: - Live bodies

extension RequestGate {
    /// Passes all further bytes on unread, because the connection has changed from HTTP to another protocol. The handlers of that
    /// protocol stand behind this one in the pipeline.
    ///
    /// - Returns: the bytes behind the last request.
    func handOver() -> ByteBuffer {
        phase = .handedOver
        timer?.set(after: nil)
        defer { waiting = ByteBuffer() }
        return waiting
    }

    /// Passes on the bytes that came behind the last request, once the handlers of HTTP have gone, and begins the socket.
    func begin(_ socket: SocketHandler, with early: ByteBuffer) {
        guard let context else { return }
        let bound = NIOLoopBound((gate: self, socket: socket, early: early), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (gate, socket, early) = bound.value
            guard let context = gate.context else { return }
            socket.begin(on: context.eventLoop)
            if early.readableBytes > 0 { context.fireChannelRead(gate.wrapInboundOut(early)) }
            context.read()
        }
    }

    var isMultiplexed: Bool { false }

    var bufferedByteCount: Int {
        // Every channel of a socket has the option.
        context.flatMap { try? $0.channel.syncOptions?.getOption(.bufferedWritableBytes) } ?? 0
    }

    func buffer(_ byteCount: Int) -> ByteBuffer { Self.allocator.buffer(capacity: byteCount) }

    func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil) }

    func flush() { context?.flush() }

    func afterSending(_ action: @escaping () -> Void) {
        guard let context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess(action)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: sent)
    }

    /// Ends a connection of another protocol when everything has been sent, and waits for a second until the client has read it.
    func close() {
        phase = .discarding
        timer?.set(after: Self.lingering)
        afterSending { [self] in
            if let context { finish(context) }
        }
    }

    /// Ends it at once.
    func abort() { context?.close(promise: nil) }

    func limitUnsentBytes() { context?.channel.limitUnsentBytes() }
}

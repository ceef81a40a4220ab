import NIOCore
import NIOHTTP1
import Streams
import Synchronization

/// The body of a response without end, such as a stream of events. Its methods are called on the event loop of the connection.
public protocol EndlessBody: AnyObject, Sendable {
    /// The head of the response has been sent.
    ///
    /// - Parameter waker: is to be woken when there is something to send. It may be called from any thread.
    func began(_ waker: any Waker)
    /// The next bytes, some kilobytes at most; empty if there are none yet. It is called only while the client takes what is sent.
    func next() -> [UInt8]
    /// What is sent if there was nothing for ``EndlessResponse/keepaliveSeconds``, so that both sides notice when the other has gone.
    var keepalive: [UInt8] { get }
    /// The response has ended, for whatever reason. It may be called twice.
    func ended()
}

/// Sends the body of a response without end as fast as its client takes it, so that nothing waits in the channel but what its limit
/// permits. Confined to the event loop.
public final class EndlessResponse {
    /// Seconds without a message before ``EndlessBody/keepalive`` is sent: less than the minute after which proxies give up.
    public static let keepaliveSeconds = 15

    private let body: any EndlessBody
    private let context: ChannelHandlerContext
    private let stallSeconds: Int
    private let isPermitted: () -> Bool
    private var timer: ConnectionTimer?
    /// Seconds for which the client has taken nothing.
    private var stalledSeconds = 0
    private var hasEnded = false

    /// - Parameters:
    ///   - stallSeconds: how long the client may take nothing.
    ///   - isPermitted: whether the client may still get the response. If not, it ends, and the client may ask again.
    init(
        _ body: any EndlessBody, on context: ChannelHandlerContext, stallSeconds: Int, isPermitted: @escaping () -> Bool
    ) {
        (self.body, self.context, self.stallSeconds, self.isPermitted) = (body, context, stallSeconds, isPermitted)
    }

    func begin() {
        timer = ConnectionTimer(on: context.eventLoop) { [self] in intervalPassed() }
        timer?.set(after: .seconds(Int64(Self.keepaliveSeconds)))
        body.began(EndlessWaker(self, on: context.eventLoop))
        proceed()
    }

    /// Sends what there is, as far as the client takes it.
    func proceed() {
        guard !hasEnded else { return }
        guard isPermitted() else { return close() }
        var hasWritten = false
        while context.channel.isWritable {
            let bytes = body.next()
            guard !bytes.isEmpty else { break }
            write(bytes)
            hasWritten = true
        }
        guard hasWritten else { return }
        context.flush()
        stalledSeconds = 0
        timer?.set(after: .seconds(Int64(Self.keepaliveSeconds)))
    }

    /// The response has ended.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        timer?.cancel()
        body.ended()
    }

    private func intervalPassed() {
        guard !hasEnded else { return }
        guard isPermitted() else { return close() }
        timer?.set(after: .seconds(Int64(Self.keepaliveSeconds)))
        if context.channel.isWritable {
            stalledSeconds = 0
            write(body.keepalive)
            context.flush()
        } else {
            stalledSeconds += Self.keepaliveSeconds
            if stalledSeconds >= stallSeconds { close() }
        }
    }

    private func write(_ bytes: [UInt8]) {
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(buffer))), promise: nil)
    }

    private func close() {
        end()
        context.close(promise: nil)
    }
}

/// Wakes a response from any thread: many calls cost one turn of the event loop.
private final class EndlessWaker: Waker {
    private let response: NIOLoopBound<EndlessResponse>
    private let loop: any EventLoop
    private let isWoken = Atomic(false)

    init(_ response: EndlessResponse, on loop: any EventLoop) {
        self.response = NIOLoopBound(response, eventLoop: loop)
        self.loop = loop
    }

    func wake() {
        guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [self] in
            isWoken.store(false, ordering: .releasing)
            response.value.proceed()
        }
    }
}

extension RequestHandler {
    /// Begins a response without end to the request `number`.
    func respond(_ response: Response, endlessly body: any EndlessBody, to number: UInt64) {
        let framing = framing
        guard let context, current?.number == number, let current = current.take() else { return body.ended() }
        var head = HTTPResponseHead(
            version: framing == .none ? .http1_0 : .http1_1, status: .init(statusCode: response.status.code))
        head.headers = headers(of: response, hasLength: false)
        if !gate.isMultiplexed { head.headers.add(name: "Connection", value: "close") }
        for (name, value) in current.crossOrigin { head.headers.add(name: name, value: value) }
        if framing == .chunks { head.headers.add(name: "Transfer-Encoding", value: "chunked") }
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        guard !current.isHead else {
            body.ended()
            return gate.afterSending { [gate] in gate.responseWasSent(keepsConnection: false) }
        }
        let accessVersion = current.accessVersion
        let endless = EndlessResponse(
            body, on: context, stallSeconds: server.options.connection.idleSeconds,
            isPermitted: { [server] in server.services.access.version == accessVersion })
        self.endless = endless
        endless.begin()
    }
}

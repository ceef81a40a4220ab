import Media
import NIOCore
import Reactor
import TLS

/// Encrypts a connection by the same OpenSSL machine as `rtsps://` (decisions/021): it is the part of the channel's pipeline that
/// is next to the socket.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The end of the handshake, which it tells the handlers behind it.
    struct Established {
        /// What both ends have agreed on (RFC 7301), such as `h2`; `nil` if the client has offered nothing.
        let applicationProtocol: String?
    }

    private let connection: TLSConnection
    private var timer: ConnectionTimer?
    private var isEstablished = false
    private var hasEnded = false

    init(_ connection: TLSConnection) {
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let timer = ConnectionTimer(on: context.eventLoop) { [self] in
            connection.deadlinePassed(at: .now())
            fail(bound.value)
        }
        if let deadline = connection.nextDeadline { timer.set(after: .nanoseconds(deadline - .now())) }
        self.timer = timer
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let encrypted = unwrapInboundIn(data)
        var decrypted = context.channel.allocator.buffer(capacity: encrypted.readableBytes)
        encrypted.withUnsafeReadableBytes { bytes in
            connection.received(bytes) { decrypted.writeBytes($0) }
        }
        sendOutput(context)
        if connection.failure != nil { return fail(context) }
        if !isEstablished, connection.phase == .established || connection.phase == .ended {
            isEstablished = true
            timer?.set(after: nil)
            context.fireUserInboundEventTriggered(
                Established(applicationProtocol: connection.applicationProtocol))
        }
        if decrypted.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(decrypted)) }
        guard connection.phase == .ended, !hasEnded else { return }
        hasEnded = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = unwrapOutboundIn(data) {
            bytes.withUnsafeReadableBytes { connection.write($0) }
        }
        context.write(wrapOutboundOut(.byteBuffer(takeOutput(context))), promise: promise)
        if connection.failure != nil { fail(context) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input {
            connection.close()
            sendOutput(context)
        }
        context.close(mode: mode, promise: promise)
    }

    private func sendOutput(_ context: ChannelHandlerContext) {
        guard connection.output.count > 0 else { return }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(takeOutput(context))), promise: nil)
    }

    /// What is to be sent to the peer, at most as long as what was written last.
    private func takeOutput(_ context: ChannelHandlerContext) -> ByteBuffer {
        let output = connection.output
        var buffer = context.channel.allocator.buffer(capacity: output.count)
        buffer.writeBytes(output)
        connection.sent(output.count)
        return buffer
    }

    /// Ends a connection that has failed. The alert for the peer has been sent.
    private func fail(_ context: ChannelHandlerContext) {
        timer?.cancel()
        sendOutput(context)
        if let failure = connection.failure { context.fireErrorCaught(failure) }
        context.close(promise: nil)
    }
}

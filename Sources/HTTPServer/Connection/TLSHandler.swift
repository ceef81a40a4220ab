import DequeModule
import Media
import NIOCore
import Reactor
import TLS

/// Encrypts a connection by the same OpenSSL machine as `rtsps://` (decisions/021): it is the part of the channel's pipeline that
/// is next to the socket.
///
/// It encrypts one record at a time, and only while the channel is writable. So a slow client holds encrypted copies of what the
/// channel's watermark permits, and one record more. The rest waits as it was written: segments are memory that all clients share.
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

    /// Bytes that are not yet encrypted.
    private struct Plaintext {
        var bytes: ByteBuffer
        let promise: EventLoopPromise<Void>?
    }

    private let connection: TLSConnection
    /// What was written while the channel was not writable, in its order.
    private var waiting = Deque<Plaintext>()
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

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        timer?.cancel()
        let lost = waiting
        waiting = []
        for plaintext in lost { plaintext.promise?.fail(ChannelError.ioOnClosedChannel) }
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

    // MARK: Output

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // A channel that has closed is never writable again.
        guard context.channel.isActive else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        // Nothing writes the other kind, a region of a file.
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        waiting.append(Plaintext(bytes: bytes, promise: promise))
        encryptWritable(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, !waiting.isEmpty {
            encryptWritable(context)
            context.flush()
        }
        context.fireChannelWritabilityChanged()
    }

    private func encryptWritable(_ context: ChannelHandlerContext) {
        while context.channel.isWritable, !waiting.isEmpty { encryptRecord(context) }
        if connection.failure != nil { fail(context) }
    }

    /// Encrypts the next record of what waits. A promise is that of the last record.
    private func encryptRecord(_ context: ChannelHandlerContext) {
        let count = min(waiting[0].bytes.readableBytes, TLSConnection.recordByteCount)
        waiting[0].bytes.readWithUnsafeReadableBytes { bytes in
            connection.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            return count
        }
        // The write may change the writability, and what hears of that may write more.
        let promise = waiting[0].bytes.readableBytes == 0 ? waiting.removeFirst().promise : nil
        context.write(wrapOutboundOut(.byteBuffer(takeOutput(context))), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            while !waiting.isEmpty { encryptRecord(context) }
        }
        // If a part of the output is lost, its end must not look like that of the whole (RFC 8446, section 6.1).
        if mode != .input, waiting.isEmpty {
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

import NIOCore
import NIOWebSocket

/// The connection of a viewer once it is a WebSocket. Messages of text, which say how the stream is, are not read. Confined to the event
/// loop.
final class SocketConnection: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The longest message: a keyframe has less.
    static let maximumByteCount = 1 << 24

    private let viewer: SocketViewer
    private var context: ChannelHandlerContext?

    init(of viewer: SocketViewer) {
        self.viewer = viewer
    }

    func close() { context?.close(promise: nil) }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        viewer.end(.endedByServer)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        viewer.end(.failed("\(error)"))
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .binary: viewer.received(media: frame.data)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.data)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose: viewer.end(.endedByServer)
        default: break
        }
    }
}

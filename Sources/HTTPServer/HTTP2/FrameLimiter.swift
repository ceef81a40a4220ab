import NIOCore

/// Closes an HTTP/2 connection on which the client sends more frames than its requests and the responses explain. SwiftNIO limits
/// PING, SETTINGS, PRIORITY, RST_STREAM, CONTINUATION and empty DATA; it counts neither WINDOW_UPDATE nor short DATA nor frames of
/// unknown types, each of which costs a microsecond and thirteen bytes (swift-nio-http2 1.46). It stands between TLS and SwiftNIO's handler. Confined to the event loop.
///
/// A rate would not do, because a fast client extends its windows thousands of times in a second. So each request and each DATA frame
/// that the server sends permits some frames more.
final class FrameLimiter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The client has sent too many frames.
    struct Excess: Error, CustomStringConvertible {
        var description: String { "the client has sent too many frames for what it was sent" }
    }

    /// Types of frames (RFC 9113, section 6).
    private enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// Frames that a client may send before its first request.
    static let initialCount = 200
    /// Frames that a request, or a DATA frame of the server, permits. A client extends two windows for a frame, or for
    /// each 4 KB of it.
    static let countPerFrame = 20

    private var received = FrameHeaders(after: FrameHeaders.prefaceByteCount)
    private var sent = FrameHeaders()
    private var permittedCount = initialCount

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard permittedCount >= 0 else { return }
        received.received(unwrapInboundIn(data)) { kind in
            switch Kind(rawValue: kind) {
            case .headers: permittedCount += Self.countPerFrame
            case .priority, .reset, .settings, .ping, .continuation: break
            default: permittedCount -= 1
            }
        }
        guard permittedCount >= 0 else { return context.fireErrorCaught(Excess()) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = unwrapOutboundIn(data), permittedCount >= 0 {
            sent.received(bytes) { if Kind(rawValue: $0) == .data { permittedCount += Self.countPerFrame } }
        }
        context.write(data, promise: promise)
    }
}

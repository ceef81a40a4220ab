import NIOCore
import TLS

/// Waits for the end of the TLS handshake, and then adds the handlers of the protocol that both ends have agreed on (RFC 7301): HTTP/2 or
/// HTTP/1.1, which is also that of clients that offer none. Confined to the event loop.
final class ProtocolHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The application protocols that the server accepts, preferred ones first.
    static let names = ["h2", "http/1.1", "http/1.0"]

    private let setup: ConnectionSetup
    private var isEstablished = false

    init(_ setup: ConnectionSetup) {
        self.setup = setup
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as TLSHandler.Established:
            isEstablished = true
            setup.facts.counts.handshakeEnded()
            do {
                let pipeline = context.pipeline.syncOperations
                if event.applicationProtocol == "h2" {
                    try setup.addHTTP2(to: pipeline)
                } else {
                    try setup.addHTTP1(to: pipeline)
                }
            } catch {
                // The channel has closed meanwhile.
                context.close(promise: nil)
            }
        case let event as ChannelEvent where event == .inputClosed && !isEstablished: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = error as? TLSFailure {
            return setup.server.log.log(
                .failedHandshake, .notice, "TLS failed", peer: setup.facts.peer.description, reason: failure.httpReason)
        }
        guard isEstablished else { return context.close(promise: nil) }
        context.fireErrorCaught(error)
    }
}

extension TLSFailure {
    /// The reason in terms of HTTP.
    fileprivate var httpReason: String {
        self == .plainText
            ? "the client sent plain text to the TLS port; it must use https:// instead of http://" : description
    }
}

import HTTP
import NIOCore

/// What stands between a ``RequestHandler`` and its client: it lets one request through, limits its size and its time, and sends what
/// is written. For HTTP/1.1 it is a ``RequestGate`` per connection, for HTTP/2 a ``StreamGate`` per stream. Confined to the event loop.
protocol HTTPGate: AnyObject {
    /// Whether other requests share the connection. Then no header of a response is about the connection, and the end of a body is
    /// that of its stream.
    var isMultiplexed: Bool { get }

    /// The whole response has been handed to the channel: from now on, the client has a limited time to take it.
    func responseIsComplete()

    /// The response has been sent.
    ///
    /// - Parameter keepsConnection: whether the connection may be used for another request, if the response belongs to it alone.
    func responseWasSent(keepsConnection: Bool)

    /// Whether the channel takes more without keeping it.
    var isWritable: Bool { get }

    /// Bytes that wait in the channel.
    var bufferedByteCount: Int { get }

    func buffer(_ byteCount: Int) -> ByteBuffer

    /// Writes a part of a live body, behind the encoder of HTTP.
    func write(_ bytes: ByteBuffer)

    func flush()

    /// Calls the closure when everything that was written has been sent; never, if the connection closes before.
    func afterSending(_ action: @escaping () -> Void)

    /// Limits the bytes that the kernel keeps for a client of live bodies.
    func limitUnsentBytes()
}

/// What a gate tells the handler of requests.
enum GateEvent {
    /// What has arrived is no request that can be answered otherwise.
    case refused(RequestFailure)
    /// The request did not arrive in time.
    case tooSlow
    /// The client has closed its direction, and takes no more, while a request is answered.
    case clientLeft
}

extension Channel {
    /// The bytes that the kernel may keep without sending them, as with RTSP. More would only grow old there, where they cannot be
    /// skipped.
    private static var unsentByteCount: Int { 16_384 }
    /// `TCP_NOTSENT_LOWAT` of Linux.
    private static var unsentOption: NIOBSDSocket.Option { .init(rawValue: 25) }

    /// Limits the bytes that the kernel keeps without sending them.
    func limitUnsentBytes() {
        // Without the option, a slow client is noticed later.
        try? syncOptions?.setOption(
            .tcpOption(Self.unsentOption), value: SocketOptionValue(Self.unsentByteCount))
    }
}

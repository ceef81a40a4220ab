import NIOCore
import NIOHTTP1
import Reactor

/// One viewer of the media over a WebSocket, as the web page gets them: asks for the WebSocket, and reads fragments. Confined to the
/// event loop.
final class SocketViewer: HTTPViewer {
    let record: ViewerRecord
    private let target: String
    private unowned let bench: HTTPBench
    private var connection: ViewerConnection?
    private var socket: SocketConnection?
    private var reader = FragmentReader()
    /// Whether the request is only for the server's challenge: a server closes a connection on which it refuses a WebSocket.
    private var isLoggingIn: Bool

    /// The example of RFC 6455, section 1.3: a server proves with its answer that it knows WebSockets.
    private static let (key, answer) = ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

    init(_ stream: HTTPStream, _ record: ViewerRecord, of bench: HTTPBench) {
        (target, self.record, self.bench) = (stream.target, record, bench)
        isLoggingIn = stream.login != nil
    }

    func connected(_ connection: ViewerConnection) {
        guard record.end == nil else { return connection.close() }
        self.connection = connection
        isLoggingIn ? connection.get(target, as: "*/*") : askForSocket()
    }

    private func askForSocket() {
        connection?.get(
            target,
            with: [
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": Self.key,
            ])
    }

    func received(_ head: HTTPResponseHead) {
        if isLoggingIn, head.status == .upgradeRequired { return }
        guard head.status == .switchingProtocols else {
            return end(.refused(status: head.status.code, reason: head.status.reasonPhrase))
        }
        guard head.headers["Sec-WebSocket-Accept"] == [Self.answer] else {
            return end(.failed("the server's answer is that of no WebSocket"))
        }
        record.played(firstSequenceNumbers: [], at: .now())
        bench.viewerSettled(at: .now())
    }

    func received(_ bytes: ByteBuffer) {}

    func receivedEnd() {
        guard record.end == nil else { return }
        if isLoggingIn {
            isLoggingIn = false
            return askForSocket()
        }
        // The handshake is complete.
        guard let connection = connection.take() else { return }
        let socket = SocketConnection(of: self)
        self.socket = socket
        connection.become(socket)
    }

    /// A message with media has come.
    func received(media bytes: ByteBuffer) {
        guard record.end == nil else { return }
        do throws(MP4Failure) {
            try reader.read(bytes, of: record, in: bench, at: .now())
        } catch {
            end(.invalid(error))
        }
    }

    func end(_ reason: HTTPEnd) {
        guard record.end == nil else { return }
        record.end = .http(reason)
        if record.playing == nil { bench.viewerSettled(at: .now()) }
        connection.take()?.close()
        socket.take()?.close()
    }
}

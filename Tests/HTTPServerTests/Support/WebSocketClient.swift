import TestSupport
import Testing

/// A client of a WebSocket that reads frames and sends what a test wants.
final class WebSocketClient {
    struct Frame: Hashable {
        let opcode: UInt8
        let payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        var isText: Bool { opcode == 1 }
        /// The code of a close message.
        var closeCode: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
    }

    let socket: HTTPSocket
    private var pending: [UInt8] = []

    /// Opens the socket at a path.
    ///
    /// - Parameter early: bytes that are sent with the request.
    init(_ server: TestServer, _ path: String, _ headers: String..., early: [UInt8] = []) throws {
        socket = try server.connect()
        let lines = ["GET \(path) HTTP/1.1", "Host: localhost"] + Self.handshake + headers
        socket.socket.send(Array(lines.map { $0 + "\r\n" }.joined().utf8) + Array("\r\n".utf8) + early)
        let response = try #require(socket.response(hasBody: false))
        try #require(response.status == 101, "\(response.head)")
        // The answer to the key of RFC 6455, section 1.3.
        #expect(response.header("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    static let handshake = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    /// The bytes of a masked frame of at most 65 535 bytes.
    static func frame(_ payload: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true) -> [UInt8] {
        let mask: [UInt8] = [1, 2, 3, 4]
        let count = payload.count
        let length = count < 126 ? [0x80 | UInt8(count)] : [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [(isFinal ? 0x80 : 0) | opcode] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    func send(_ text: String) { socket.socket.send(Self.frame(Array(text.utf8))) }

    /// The next frame; `nil` after the end.
    func next() -> Frame? {
        while true {
            if let (frame, count) = Self.first(of: pending) {
                pending.removeFirst(count)
                return frame
            }
            let bytes = socket.bytes(atLeast: 1)
            if bytes.isEmpty { return nil }
            pending += bytes
        }
    }

    /// The next frame that fits, leaving out others.
    func next(_ fits: (Frame) -> Bool) -> Frame? {
        while let frame = next() {
            if fits(frame) { return frame }
        }
        return nil
    }

    /// The next message of a type.
    func message(_ type: String) -> String? { next { $0.isText && $0.text.contains("\"type\":\"\(type)\"") }?.text }

    /// The code with which the server closes the socket.
    func closeCode() -> Int? { next { $0.closeCode != nil }?.closeCode }

    private static func first(of bytes: [UInt8]) -> (Frame, Int)? {
        guard bytes.count >= 2 else { return nil }
        var (count, start) = (Int(bytes[1]), 2)
        if count == 126 || count == 127 {
            let width = count == 126 ? 2 : 8
            guard bytes.count >= 2 + width else { return nil }
            count = bytes[2..<(2 + width)].reduce(0) { $0 << 8 | Int($1) }
            start += width
        }
        guard bytes.count >= start + count else { return nil }
        return (Frame(opcode: bytes[0] & 0xF, payload: Array(bytes[start..<(start + count)])), start + count)
    }
}

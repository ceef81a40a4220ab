@testable import RTMP

/// A client and a server that exchange bytes in pieces of this length.
struct SessionPair {
    var client: RTMPClientSession
    var server = RTMPServerSession(random: [UInt8](repeating: 2, count: 3072))
    var pieceByteCount: Int
    var decide: (inout RTMPServerSession, ServerOrder) -> Void
    var serverMedia: [Message] = []
    var clientMedia: [Message] = []
    var isStarted = false
    var reconnect: ClientLogin?
    var closed: ClientOrder.CloseReason?

    init(
        _ target: ClientTarget, login: ClientLogin? = nil, pieceByteCount: Int = 4096,
        decide: @escaping (inout RTMPServerSession, ServerOrder) -> Void = Self.accept
    ) {
        client = RTMPClientSession(target, login: login, random: [UInt8](repeating: 1, count: 1536))
        self.pieceByteCount = pieceByteCount
        self.decide = decide
    }

    static func accept(_ server: inout RTMPServerSession, _ order: ServerOrder) {
        switch order {
        case .connect: server.acceptConnection()
        case .publish: server.acceptPublishing()
        case .play: server.acceptPlaying()
        default: break
        }
    }

    mutating func run() {
        var isIdle = false
        while !isIdle {
            isIdle = true
            while let order = client.next() {
                isIdle = false
                switch order {
                case .send(let bytes): toServer(bytes)
                case .started: isStarted = true
                case .media(let message): clientMedia.append(message)
                case .reconnect(let login): reconnect = login
                case .close(let reason): closed = reason
                }
            }
            while let order = server.next() {
                isIdle = false
                switch order {
                case .send(let bytes): toClient(bytes)
                case .media(let message): serverMedia.append(message)
                default: decide(&server, order)
                }
            }
        }
    }

    mutating func toServer(_ bytes: [UInt8]) {
        for piece in pieces(bytes) { server.received(piece.rawSpan) }
    }

    mutating func toClient(_ bytes: [UInt8]) {
        for piece in pieces(bytes) { client.received(piece.rawSpan) }
    }

    private func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: pieceByteCount).map {
            Array(bytes[$0..<min($0 + pieceByteCount, bytes.count)])
        }
    }

    /// The client publishes messages of media.
    mutating func publish(_ messages: [Message]) {
        guard let framing = client.framing else { return }
        for message in messages {
            let media = FLVMessage(message.type, milliseconds: 0, payload: message.payload)
            let (head, payload) = framing.bytes(of: media, at: message.timestamp)
            toServer(head + payload)
        }
        run()
    }
}

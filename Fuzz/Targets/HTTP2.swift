import Fuzzing
import HTTP
import Logging
import NIOCore
import NIOEmbedded
import RTSP
import Reactor
import Streams
import Synchronization

@testable import HTTPServer

/// Whatever frames come behind the preface, also in pieces and while nothing can be sent: a request that came before them is answered as
/// long as the connection is open, no more streams are open and no more requests are answered in a turn than the limits permit, and
/// everything is released when the connection closes.
@Sendable func fuzzHTTP2(_ input: [UInt8]) {
    var script = Script(input)
    let services = FuzzServices()
    do {
        let connection = try FuzzConnection(services)
        while !script.isAtEnd, connection.channel.isActive { try connection.step(&script) }
        try connection.finish()
    } catch {
        // The channel reports the errors with which it was closed.
    }
    require(services.connectionCount.withLock(\.self) == 0, "a closed connection is released")
}

/// A connection without a socket, with one request that is answered at the end.
private final class FuzzConnection {
    let channel = EmbeddedChannel()
    private let exchanges = Exchanges()
    private var received: [UInt8] = []

    init(_ services: FuzzServices) throws {
        var options = HTTPServer.ServerOptions()
        options.connection.maximumStreamCount = 20
        let exchanges = exchanges
        let server = ServerContext(
            options, services: services,
            routes: [
                Route(.path("/first"), for: .everyone) { _, exchange in exchanges.first = exchange },
                Route(.path("/a"), [.get, .post], for: .everyone) { request, exchange in
                    exchanges.count += 1
                    exchange.respond(Response(body: request.body))
                },
                Route(.path("/large"), for: .everyone) { _, exchange in
                    exchanges.count += 1
                    exchange.respond(Response(body: [UInt8](repeating: 1, count: 200_000)))
                },
            ],
            EmptyCatalog(), identity: CurrentIdentity(nil), ports: (nil, nil),
            log: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
        guard let peer = Reactor.SocketAddress("127.0.0.1", port: 1) else { return }
        let counts = try CountedConnection(peer, .tls, by: services)
        let facts = ConnectionFacts(peer: peer, local: peer, security: .tls, counts: counts)
        try channel.connect(to: NIOCore.SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try ConnectionSetup(server: server, facts: facts).addHTTP2(to: channel.pipeline.syncOperations)
        try receive(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, on: 0, []))
        let path: [UInt8] = [0x04, 6] + "/first".utf8
        // GET, https, and the name of the server.
        try receive(frame(1, flags: 5, on: 1, [0x82, 0x87] + path + [0x01, 9] + "localhost".utf8))
        require(exchanges.first != nil, "the first request is waiting")
    }

    func step(_ script: inout Script) throws {
        exchanges.count = 0
        switch script.byte() {
        // A frame on another stream than the first, in two pieces.
        case 0..<160:
            let (kind, flags, number) = (script.byte() % 11, script.byte(), UInt32(script.byte()))
            // SETTINGS, PING and GOAWAY belong to no stream, and a window update may.
            let isOfConnection = [4, 6, 7].contains(kind) || kind == 8 && number == 0
            let bytes = frame(kind, flags: flags, on: isOfConnection ? 0 : 2 * number + 3, script.chunk())
            let split = Int(script.byte()) % (bytes.count + 1)
            try receive(Array(bytes[..<split]))
            try receive(Array(bytes[split...]))
        // Several requests at once.
        case 160..<200:
            let first = UInt32(script.byte())
            let path: [UInt8] = [0x04, 2] + "/a".utf8
            for index in 0..<UInt32(script.byte() % 32) {
                let stream = 2 * (first + index) + 3
                channel.pipeline.fireChannelRead(
                    ByteBuffer(
                        bytes: frame(1, flags: 5, on: stream, [0x82, 0x87] + path + [0x01, 9] + "localhost".utf8)))
            }
            channel.pipeline.fireChannelReadComplete()
            require(exchanges.count <= 16, "requests are answered in turns")
        case 200..<220:
            channel.isWritable.toggle()
            channel.pipeline.fireChannelWritabilityChanged()
        case 220..<250: channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(script.byte() % 8)))
        default: channel.embeddedEventLoop.run()
        }
        try drain()
    }

    /// Answers the first request, and closes the connection.
    func finish() throws {
        defer {
            _ = try? channel.finish(acceptAlreadyClosed: true)
            exchanges.first = nil
        }
        guard channel.isActive else { return }
        if !channel.isWritable {
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        received = []
        exchanges.first?.respond(Response(.noContent))
        channel.embeddedEventLoop.run()
        try drain()
        require(!channel.isActive || hasAnswer, "the first request is answered")
    }

    /// Whether there is a frame HEADERS on the first stream.
    private var hasAnswer: Bool {
        var rest = received[...]
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            if head[3] == 1, head[5...] == [0, 0, 0, 1] { return true }
            rest = rest.dropFirst(9 + length)
        }
        return false
    }

    private func receive(_ bytes: [UInt8]) throws {
        guard channel.isActive else { return }
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        try drain()
    }

    private func drain() throws {
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let bytes) = data { received += bytes.readableBytesView }
        }
        // Whole frames that were looked at are not needed any more; 20 streams have at most so many.
        if received.count > 1 << 24 { received = [] }
    }

    private func frame(_ kind: UInt8, flags: UInt8 = 0, on stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
        return length + [kind, flags] + (0..<4).map { UInt8(truncatingIfNeeded: stream >> (24 - 8 * $0)) } + payload
    }
}

/// What the routes have been asked. Confined to the thread.
private final class Exchanges: @unchecked Sendable {
    var first: Exchange?
    var count = 0
}

/// No users, and no limits.
private final class FuzzServices: SharedServices {
    let lockOut = LockOut()
    let connectionCount = Mutex(0)

    var access: (policy: AccessPolicy?, version: UInt64) { (nil, 1) }
    func decide(
        _ request: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) {}
    func admit(_ peer: Reactor.SocketAddress, _ security: ConnectionSecurity) -> String? {
        connectionCount.withLock { $0 += 1 }
        return nil
    }
    func handshakeEnded() {}
    func left(_ peer: Reactor.SocketAddress) { connectionCount.withLock { $0 -= 1 } }
    func livePath(at path: String) -> LivePath? { nil }
    func substreams(of path: String) -> [LivePath] { [] }
    func admitViewer() -> Bool { true }
    func nextViewerID() -> ViewerID {
        var ids = ViewerIDs(after: 0)
        return ids.next()
    }
    func viewerLeft() {}
}

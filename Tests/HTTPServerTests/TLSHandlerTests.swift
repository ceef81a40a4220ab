import Media
import NIOCore
import NIOEmbedded
import TLS
import TestSupport
import Testing

@testable import HTTPServer

/// How much of a response is encrypted for a client that takes it slowly.
struct TLSHandlerTests {
    /// An established connection. The socket takes bytes only when the test says so.
    private struct Connection {
        let channel = EmbeddedChannel()
        let socket: FullSocket
        let client: TLSConnection
        var received: [UInt8] = []

        init() throws {
            let identity = HTTPServer.ServerOptions.TLSOptions.fixture.identity
            socket = FullSocket(of: channel)
            client = try TLSConnection(to: TLSClient(), at: .now())
            try channel.pipeline.syncOperations.addHandlers([
                socket, TLSHandler(try TLSConnection(of: identity, at: .now())),
            ])
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
            while client.phase == .handshake, client.output.count > 0 {
                let bytes = Array(client.output)
                client.sent(bytes.count)
                try channel.writeInbound(ByteBuffer(bytes: bytes))
                take()
            }
            try #require(client.phase == .established)
            let finished = Array(client.output)
            client.sent(finished.count)
            try channel.writeInbound(ByteBuffer(bytes: finished))
            take()
            received = []
        }

        /// The socket takes everything that waits in it, and the client reads it.
        mutating func take() {
            socket.take().withUnsafeReadableBytes { bytes in
                client.received(bytes) { received += $0 }
            }
        }
    }

    private static let segment = ByteBuffer(bytes: (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 >> 3) })

    @Test func aLargeResponseIsEncryptedAsTheClientTakesIt() throws {
        var connection = try Connection()
        let sent = connection.channel.writeAndFlush(Self.segment)
        var (isSent, turns) = (false, 0)
        sent.assumeIsolated().whenComplete { result in isSent = (try? result.get()) != nil }
        while connection.socket.byteCount > 0 {
            #expect(connection.socket.byteCount < FullSocket.watermark + TLSConnection.recordByteCount + 100)
            #expect(!isSent)
            connection.take()
            turns += 1
        }
        #expect(isSent && turns > 25)
        #expect(connection.received == Array(Self.segment.readableBytesView))
    }

    @Test func whatIsWrittenMeanwhileFollows() throws {
        var connection = try Connection()
        connection.channel.writeAndFlush(Self.segment, promise: nil)
        connection.channel.writeAndFlush(ByteBuffer(string: "next"), promise: nil)
        connection.take()
        connection.channel.writeAndFlush(ByteBuffer(string: "last"), promise: nil)
        while connection.socket.byteCount > 0 { connection.take() }
        #expect(connection.received.count == 2_000_008)
        #expect(connection.received.suffix(8) == Array("nextlast".utf8)[...])
    }

    @Test func theEndFollowsWhatWasWritten() throws {
        var connection = try Connection()
        connection.channel.writeAndFlush(Self.segment, promise: nil)
        connection.channel.close(mode: .output, promise: nil)
        while connection.socket.byteCount > 0 { connection.take() }
        #expect(connection.received.count == 2_000_000 && connection.client.phase == .ended)
    }

    @Test func aResponseThatIsCutOffDoesNotEndLikeAWholeOne() throws {
        var connection = try Connection()
        let sent = connection.channel.writeAndFlush(Self.segment)
        var failure: (any Error)?
        sent.assumeIsolated().whenFailure { failure = $0 }
        connection.take()
        connection.channel.close(promise: nil)
        connection.take()
        #expect(failure as? ChannelError == .ioOnClosedChannel)
        #expect(connection.received.count < 2_000_000 && connection.client.phase == .established)
    }

    /// The same over a socket.
    @Test func aSlowClientGetsTheWholeResponse() async throws {
        let route = Route(.path("/segment"), for: .everyone) { _, exchange in
            var response = Response()
            response.shared = Self.segment
            exchange.respond(response)
        }
        try await TestServer.run(more: [route]) {
            $0.tls = .fixture
        } _: { server in
            let socket = try LoopbackSocket(port: server.port(.tls), bufferByteCount: 4_096)
            let client = HTTPSocket(over: try TLSStream(over: socket, offering: ["http/1.1"]))
            for _ in 0..<2 {
                #expect(client.ask("GET /segment")?.body == Array(Self.segment.readableBytesView))
            }
        }
    }
}

/// Stands in for a socket whose buffer is full: it keeps what is written, and makes the channel unwritable as SwiftNIO's channels do.
private final class FullSocket: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    /// That of SwiftNIO's channels.
    static let watermark = 65_536

    private let channel: EmbeddedChannel
    private var kept: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    var byteCount: Int { kept.reduce(0) { $0 + $1.bytes.readableBytes } }

    init(of channel: EmbeddedChannel) { self.channel = channel }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else { return }
        kept.append((bytes, promise))
        setWritable(byteCount <= Self.watermark)
    }

    /// Takes everything.
    func take() -> ByteBuffer {
        let taken = kept
        kept = []
        for (_, promise) in taken { promise?.succeed() }
        setWritable(true)
        return taken.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1.bytes) }
    }

    private func setWritable(_ isWritable: Bool) {
        guard channel.isWritable != isWritable else { return }
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }
}

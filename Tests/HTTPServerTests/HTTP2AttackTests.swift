import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Attacks on HTTP/2. Each ends its own connection, or its own stream; another connection is answered meanwhile and afterwards, and all
/// memory that belongs to connections is released.
struct HTTP2AttackTests {
    /// The error codes of RFC 9113, section 7.
    private enum Code {
        static let (protocolError, cancel, compression, calm): (UInt32, UInt32, UInt32, UInt32) = (1, 8, 9, 11)
        static let refusedStream: UInt32 = 7
    }

    private func attack(
        settings: [(UInt16, UInt32)] = [], bufferByteCount: Int32? = nil, more: [Route] = [],
        _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in },
        _ body: (HTTP2Client, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(more: more) {
            $0.tls = .fixture
            change(&$0)
        } _: { server in
            let other = try server.connectByHTTP2()
            #expect(other.ask("/open")?.status == 200)
            var attacker: HTTP2Client? = try server.connectByHTTP2(settings: settings, bufferByteCount: bufferByteCount)
            try await body(try #require(attacker), server)
            attacker = nil
            let next = try server.connectByHTTP2()
            #expect(next.ask("/open")?.status == 200)
            #expect(await eventually(within: 20) { server.services.counts.withLock { $0.open <= 2 } })
        }
    }

    private func expectEnd(of client: HTTP2Client, code: UInt32) {
        #expect(client.isClosedByServer())
        #expect(client.goodbye == code)
    }

    private static let open = HTTP2Client.block(HTTP2Client.request("/open"))

    private static func head(_ stream: UInt32, flags: UInt8 = 5, _ block: [UInt8] = open) -> [UInt8] {
        HTTP2Client.frame(.headers, flags: flags, on: stream, block)
    }

    /// CVE-2023-44487.
    @Test func rapidReset() async throws {
        try await attack { client, _ in
            for index in 0..<300 {
                let stream = UInt32(2 * index + 1)
                client.send(Self.head(stream) + HTTP2Client.frame(.reset, on: stream, HTTP2Client.bytes(8)))
            }
            expectEnd(of: client, code: Code.calm)
        }
    }

    /// The client provokes resets by the server (CVE-2025-8671).
    @Test func streamsThatTheServerMustReset() async throws {
        try await attack { client, _ in
            for index in 0..<300 {
                let stream = UInt32(2 * index + 1)
                client.send(Self.head(stream) + HTTP2Client.frame(.windowUpdate, on: stream, HTTP2Client.bytes(0)))
            }
            #expect(client.isClosedByServer())
        }
    }

    @Test(arguments: [0, 1_000])
    func continuationsWithoutAnEnd(byteCount: Int) async throws {
        try await attack { client, _ in
            client.send(Self.head(1, flags: 1))
            let padding = HTTP2Client.block([("x", String(repeating: "a", count: byteCount))])
            for _ in 0..<1_000 { client.send(HTTP2Client.frame(.continuation, on: 1, byteCount == 0 ? [] : padding)) }
            expectEnd(of: client, code: Code.calm)
        }
    }

    @Test func headersWithoutAnEnd() async throws {
        try await attack { client, _ in
            let block = HTTP2Client.block([("x", String(repeating: "a", count: 16_000))])
            client.send(Self.head(1, flags: 1))
            client.send(HTTP2Client.frame(.continuation, on: 1, block))
            client.send(HTTP2Client.frame(.continuation, on: 1, block))
            expectEnd(of: client, code: Code.protocolError)
        }
    }

    /// A header of 4 KB enters the table and is then named by one byte each time.
    @Test func aBombOfHeaders() async throws {
        try await attack { client, _ in
            let value = [UInt8](repeating: 0x61, count: 4_000)
            let entry: [UInt8] = [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + value
            client.send(Self.head(1, Self.open + entry + [UInt8](repeating: 0xBE, count: 5_000)))
            expectEnd(of: client, code: Code.compression)
        }
    }

    @Test(arguments: [HTTP2Client.Kind.ping, .settings, .priority])
    func aFloodOfControlFrames(kind: HTTP2Client.Kind) async throws {
        let frame =
            switch kind {
            case .ping: HTTP2Client.frame(.ping, [UInt8](repeating: 1, count: 8))
            case .priority: HTTP2Client.frame(.priority, on: 1, [0, 0, 0, 0, 9])
            default: HTTP2Client.settings([(4, 70_000)])
            }
        try await attack { client, _ in
            for _ in 0..<300 { client.send(frame) }
            expectEnd(of: client, code: Code.calm)
        }
    }

    /// Frames that cost the server more than the client, and that SwiftNIO does not count: extended windows, unknown frames, and a
    /// body byte by byte.
    @Test(arguments: [
        HTTP2Client.frame(.windowUpdate, HTTP2Client.bytes(1)), HTTP2Client.frame(0x99, on: 1),
        HTTP2Client.frame(.data, on: 1, [1]),
    ])
    func aFloodOfOtherFrames(frame: [UInt8]) async throws {
        try await attack { client, _ in
            client.begin(HTTP2Client.request("/echo", method: "POST"), isComplete: false)
            for _ in 0..<(FrameLimiter.initialCount + FrameLimiter.countPerFrame) { client.send(frame) }
            #expect(!client.isClosedByServer(within: 0.2))
            client.send(frame)
            expectEnd(of: client, code: Code.calm)
        }
    }

    /// The client of the tests extends two windows for each frame, so that it sends two thousand extensions.
    @Test func windowsThatAreExtendedForDataAreNoAttack() async throws {
        try await attack { client, _ in
            for _ in 0..<50 { #expect(client.ask("/large")?.body.count == 300_000) }
        }
    }

    @Test func emptyData() async throws {
        try await attack { client, _ in
            let stream = client.begin(HTTP2Client.request("/echo", method: "POST"), isComplete: false)
            for _ in 0..<10 { client.send(HTTP2Client.frame(.data, on: stream)) }
            expectEnd(of: client, code: Code.calm)
        }
    }

    /// The client does not confirm the server's settings, so that it might not know the limit.
    @Test func tenThousandStreams() async throws {
        let count = Mutex(0)
        let route = Route(.path("/wait"), for: .everyone) { _, _ in count.withLock { $0 += 1 } }
        try await attack(more: [route]) { client, _ in
            let block = HTTP2Client.block(HTTP2Client.request("/wait"))
            for index in 0..<10_000 { client.send(Self.head(UInt32(2 * index + 1), block)) }
            expectEnd(of: client, code: Code.protocolError)
            #expect(count.withLock(\.self) <= 100)
        }
    }

    @Test func bodiesOnAllStreams() async throws {
        try await attack {
            $0.connection.requests.bodyByteCount = 3_000
        } _: { client, _ in
            let body = [UInt8](repeating: 1, count: 1_000)
            let streams = (0..<40).map { _ in
                client.begin(HTTP2Client.request("/echo", method: "POST"), body: body, isComplete: false)
            }
            #expect(client.response(on: streams[39])?.reset == Code.refusedStream)
            // Four times the longest body is kept.
            #expect(streams.count { client.responses[$0]?.reset == nil } == 12)
            client.send(HTTP2Client.frame(.data, flags: 1, on: streams[0]))
            #expect(client.response(on: streams[0])?.body == body)
        }
    }

    @Test func aWindowOfZero() async throws {
        try await attack(settings: [(4, 0)]) {
            $0.connection.idleSeconds = 1
        } _: { client, _ in
            client.extendsWindows = false
            let streams = (0..<8).map { _ in client.begin(HTTP2Client.request("/large")) }
            for stream in streams { #expect(client.response(on: stream)?.reset == Code.cancel) }
            #expect(streams.allSatisfy { client.responses[$0]?.body == [] })
        }
    }

    /// Byte by byte a response of 300 kB would take for ever.
    @Test func aWindowOfOneByte() async throws {
        try await attack(settings: [(4, 1)]) {
            $0.connection.idleSeconds = 1
        } _: { client, _ in
            client.extendsWindows = false
            let stream = client.begin(HTTP2Client.request("/large"))
            let deadline = ContinuousClock.now + .seconds(10 * Sanitizer.patience)
            while client.responses[stream]?.reset == nil, .now < deadline {
                client.send(HTTP2Client.frame(.windowUpdate, on: stream, HTTP2Client.bytes(1)))
                client.receive(within: 0.01)
            }
            #expect(client.responses[stream]?.reset == Code.cancel)
        }
    }

    /// A client that reads nothing gets a few responses; the other requests wait, until the connection is closed.
    @Test func aClientThatReadsNothing() async throws {
        let count = Mutex(0)
        let route = Route(.path("/huge"), for: .everyone) { _, exchange in
            count.withLock { $0 += 1 }
            exchange.respond(Response(body: [UInt8](repeating: 7, count: 600_000)))
        }
        try await attack(settings: [(4, 1 << 30)], bufferByteCount: 4_096, more: [route]) {
            $0.connection.idleSeconds = 1
        } _: { client, server in
            client.send(HTTP2Client.frame(.windowUpdate, HTTP2Client.bytes(1 << 30)))
            for _ in 0..<90 { client.begin(HTTP2Client.request("/huge")) }
            #expect(await eventually(within: 10) { count.withLock(\.self) > 0 })
            // The kernel takes some of them.
            #expect(await eventually(within: 10) { server.services.counts.withLock { $0.open == 0 } })
            #expect(count.withLock(\.self) < 20)
        }
    }

    @Test(arguments: [
        [("Upper", "a")], [("connection", "close")], [("transfer-encoding", "chunked")], [("te", "gzip")],
        [("x", "a\nb")], [(":path", "/other")], [(":unknown", "a")], [("a b", "c")], [("content-length", "5")],
    ])
    func malformedRequests(headers: [(String, String)]) async throws {
        try await attack { client, _ in
            client.begin(HTTP2Client.request("/open", headers))
            #expect(client.isClosedByServer())
            #expect(client.responses.values.allSatisfy { $0.status == nil })
        }
    }

    @Test func anythingButThePreface() async throws {
        try await TestServer.run {
            $0.tls = .fixture
        } _: { server in
            let socket = try LoopbackSocket(port: server.port(.tls))
            let stream = try TLSStream(over: socket, offering: ["h2"])
            stream.send(Array("GET /open HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            let client = HTTPSocket(over: stream)
            _ = client.isClosedByServer()
            #expect(client.isClosed)
        }
    }
}

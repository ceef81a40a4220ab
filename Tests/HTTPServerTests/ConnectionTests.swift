import HTTP
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPServer

/// Connections: requests in order, limits, and what is refused.
struct ConnectionTests {
    private func withServer(
        _ services: TestServices = TestServices(), _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(services, change, body)
    }

    @Test func responsesHaveLengthDateAndTheHeadersForSecurity() async throws {
        try await withServer { server in
            let response = try #require(try server.connect().ask("GET /open"))
            #expect(response.status == 200 && response.text == "hello\n")
            #expect(response.header("Content-Length") == "6" && response.header("Server") == "apus")
            #expect(response.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'")
            #expect(response.header("X-Content-Type-Options") == "nosniff")
            #expect(response.header("Referrer-Policy") == "no-referrer")
            #expect(response.header("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(response.header("Date")?.hasSuffix(" GMT") == true && response.header("Connection") == nil)
        }
    }

    @Test func aConnectionAnswersOneRequestAfterTheOther() async throws {
        try await withServer { server in
            let client = try server.connect()
            #expect(client.ask("HEAD /open")?.header("Content-Length") == "6")
            #expect(client.ask("GET /late")?.text == "late")
            #expect(client.ask("POST /echo", body: "abc")?.text == "abc")
            #expect(client.ask("GET /large")?.body.count == 300_000)
            #expect(client.ask("GET /open", "Range: bytes=1-3")?.text == "ell")
            #expect(client.ask("GET /open", "Range: bytes=9-")?.header("Content-Range") == "bytes */6")
            #expect(client.ask("GET /nowhere")?.status == 404)
            let refused = client.ask("DELETE /open")
            #expect(refused?.status == 405 && refused?.header("Allow") == "GET, HEAD")
            let options = client.ask("OPTIONS /echo")
            #expect(options?.header("Allow") == "POST" && options?.header("Accept-Post") == "text/plain")
            #expect(client.ask("TRACE /open")?.status == 405 && client.ask("GET /../open")?.status == 400)
            #expect(client.ask("GET /open", "Connection: close")?.header("Connection") == "close")
            #expect(client.isClosedByServer())
        }
    }

    /// Requests that come together are answered in their order, and a later one waits for the answer to an earlier one.
    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await withServer { server in
            let client = try server.connect()
            let (late, open) = (
                "GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /open HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            let echo = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
            client.send(String(repeating: late + open + echo, count: 40))
            for _ in 0..<40 {
                for text in ["late", "hello\n", "abc"] { #expect(client.response()?.text == text) }
            }
            #expect(client.ask("GET /open")?.status == 200)
        }
    }

    @Test func aSplitRequestIsAnsweredOnce() async throws {
        try await withServer { server in
            let text = Array("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello".utf8)
            for split in 1..<text.count {
                let client = try server.connect()
                client.socket.send(Array(text[..<split]))
                client.socket.send(Array(text[split...]))
                #expect(client.response()?.text == "hello")
            }
        }
    }

    @Test func aClientThatWaitsIsToldToContinue() async throws {
        try await withServer { server in
            let client = try server.connect()
            client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(client.response()?.status == 100)
            client.send("hello")
            #expect(client.response()?.text == "hello")
        }
    }

    @Test func anOldClientGetsItsResponseAndTheEnd() async throws {
        try await withServer { server in
            let client = try server.connect()
            client.send("GET /open HTTP/1.0\r\n\r\n")
            #expect(client.response()?.text == "hello\n")
            #expect(client.isClosedByServer())
        }
    }

    @Test(arguments: [
        "GET /open HTTP/1.1\nHost: localhost\n\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n",
        "GET /open HTTP/1.1\r\n\r\n", "\r\n\r\n", "GARBAGE\r\n\r\n",
    ])
    func whatCouldBeReadInAnotherWayIsRefusedAndTheConnectionCloses(text: String) async throws {
        try await withServer { server in
            let client = try server.connect()
            // The request behind it must not be answered.
            client.send(text + "GET /open HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let response = try #require(client.response())
            #expect(response.status == 400 && response.header("Connection") == "close")
            #expect(response.header("Content-Type") == "application/problem+json")
            #expect(client.isClosedByServer())
        }
    }

    @Test func otherLimitsHaveTheirOwnStatus() async throws {
        try await withServer { server in
            func status(_ text: String) throws -> Int? {
                let client = try server.connect()
                client.send(text)
                let response = client.response()
                #expect(client.isClosedByServer())
                return response?.status
            }
            let post = "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
            let cases = [
                (411, post + "Transfer-Encoding: chunked\r\n\r\n"), (413, post + "Content-Length: 70000\r\n\r\n"),
                (414, "GET /" + String(repeating: "a", count: 3_000)),
                (431, post + "X: " + String(repeating: "a", count: 20_000)),
                (431, post + String(repeating: "X: y\r\n", count: 70)), (505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            ]
            for (expected, text) in cases {
                let found = try status(text)
                #expect(found == expected)
            }
        }
    }

    @Test func slowAndSilentClientsAreDisconnected() async throws {
        try await withServer(TestServices()) {
            ($0.connection.requestSeconds, $0.connection.idleSeconds) = (1, 1)
        } _: { server in
            let silent = try server.connect()
            let slow = try server.connect()
            slow.send("GET /open HTTP/1.1\r\nHost")
            let slowBody = try server.connect()
            slowBody.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na")
            #expect(slow.response()?.status == 408 && slow.isClosedByServer())
            #expect(slowBody.response()?.status == 408 && slowBody.isClosedByServer())
            #expect(silent.isClosedByServer())
            let kept = try server.connect()
            #expect(kept.ask("GET /open")?.status == 200 && kept.isClosedByServer())
        }
    }

    @Test func connectionsCountAgainstTheLimitUntilTheyClose() async throws {
        let services = TestServices(limit: 2)
        try await withServer(services) { server in
            var clients = [try server.connect(), try server.connect()]
            for client in clients { #expect(client.ask("GET /open")?.status == 200) }
            #expect(try server.connect().isClosedByServer())
            #expect(services.counts.withLock { $0.open } == 2)
            clients.removeAll()
            #expect(await eventually(within: 20) { services.counts.withLock { $0.open } == 0 })
            #expect(try server.connect().ask("GET /open")?.status == 200)
        }
    }

    @Test func aStoppedServerClosesItsConnections() async throws {
        let server = try TestServer()
        let (idle, waiting) = (try server.connect(), try server.connect())
        #expect(idle.ask("GET /open")?.status == 200)
        waiting.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await server.stop()
        #expect(idle.isClosedByServer() && waiting.isClosedByServer())
        #expect(throws: (any Error).self) { try server.connect() }
    }

    /// Whatever the gate lets through, the parser of SwiftNIO reads as one request with a body of the same length, or refuses.
    @Test func theGateAndTheParserAgree() throws {
        var random = SplitMix64(seed: 1)
        var accepted = 0
        for _ in 0..<3_000 {
            var bytes = Array("POST /a?b=c HTTP/1.1\r\nHost: h\r\nX-Y: z\r\nContent-Length: 5\r\n\r\nhello".utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.insert([0x0A, 0x0D, 0x20, 0x3A, 0x09].randomElement(using: &random) ?? 0, at: place)
                default: bytes.remove(at: place)
                }
            }
            var framing = RequestFraming()
            guard let count = try? framing.received(bytes[...]), framing.isComplete else { continue }
            let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
            // The parser may refuse what the gate accepts; then the connection closes, too.
            guard (try? channel.writeInbound(ByteBuffer(bytes: bytes[..<count]))) != nil else { continue }
            var (bodyByteCount, hasEnded) = (0, false)
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
                #expect(!hasEnded, "nothing follows the end")
                switch part {
                case .head: break
                case .body(let body): bodyByteCount += body.readableBytes
                case .end: hasEnded = true
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(hasEnded, "\(text)")
            let end = try #require(
                text.utf8.count == bytes.count ? text.firstRange(of: "\r\n\r\n")?.upperBound : text.startIndex)
            if end != text.startIndex {
                let headByteCount = text[..<end].utf8.count
                #expect(bodyByteCount == count - headByteCount, "\(text)")
            }
            accepted += 1
        }
        #expect(accepted > 500)
    }
}

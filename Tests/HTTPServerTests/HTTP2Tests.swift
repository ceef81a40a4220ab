import HTTP
import NIOCore
import NIOHPACK
import TestSupport
import Testing

@testable import HTTPServer

/// HTTP/2: the same responses as over HTTP/1.1, for many requests at the same time.
struct HTTP2Tests {
    private func withServer(
        _ services: TestServices = TestServices(), more: [Route] = [],
        _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(services, more: more) {
            $0.tls = .fixture
            change(&$0)
        } _: { server in
            try await body(server)
        }
    }

    @Test func theResponsesAreThoseOfHTTP1() async throws {
        try await withServer { server in
            let client = try server.connectByHTTP2()
            let response = try #require(client.ask("/open"))
            #expect(response.status == 200 && response.text == "hello\n")
            #expect(response.header("Content-Length") == "6" && response.header("Server") == "apus")
            #expect(response.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'")
            #expect(response.header("Connection") == nil && response.header("Transfer-Encoding") == nil)
            let head = client.ask("/open", method: "HEAD")
            #expect(head?.header("Content-Length") == "6" && head?.body == [])
            #expect(client.ask("/late")?.text == "late")
            #expect(client.ask("/echo", method: "POST", body: Array("abc".utf8))?.text == "abc")
            #expect(client.ask("/large")?.body.count == 300_000)
            #expect(client.ask("/open", [("range", "bytes=1-3")])?.text == "ell")
            let nowhere = client.ask("/nowhere")
            #expect(nowhere?.status == 404 && nowhere?.header("Content-Type") == "application/problem+json")
            let refused = client.ask("/open", method: "DELETE")
            #expect(refused?.status == 405 && refused?.header("Allow") == "GET, HEAD")
            #expect(client.ask("/echo", method: "OPTIONS")?.header("Allow") == "POST")
            #expect(client.ask("/open", method: "TRACE")?.status == 405 && client.ask("/../open")?.status == 400)
            #expect(client.ask("/cam/watch")?.text == "/cam 127.0.0.1")
        }
    }

    @Test(arguments: [[], ["http/1.1"], ["http/1.0"]])
    func otherClientsOfTheTLSPortGetHTTP1(protocols: [String]) async throws {
        try await withServer { server in
            let socket = try LoopbackSocket(port: server.port(.tls))
            let client = HTTPSocket(over: try TLSStream(over: socket, offering: protocols))
            #expect(client.ask("GET /open")?.text == "hello\n" && client.ask("GET /late")?.text == "late")
        }
    }

    @Test func aClientThatOffersOnlyOtherProtocolsIsRefused() async throws {
        try await withServer { server in
            let socket = try LoopbackSocket(port: server.port(.tls))
            #expect(throws: (any Error).self) { try TLSStream(over: socket, offering: ["imap"]) }
            #expect(await eventually(within: 20) { server.services.counts.withLock { $0 == (0, 0) } })
        }
    }

    @Test func aRequestDoesNotWaitForAnother() async throws {
        try await withServer { server in
            let client = try server.connectByHTTP2()
            let never = client.begin(HTTP2Client.request("/never"))
            let streams = (0..<60).map { _ in client.begin(HTTP2Client.request("/open")) }
            for stream in streams { #expect(client.response(on: stream)?.text == "hello\n") }
            #expect(client.responses[never] == nil)
        }
    }

    @Test func theNameOfTheServerIsChecked() async throws {
        try await withServer { server in
            let client = try server.connectByHTTP2()
            func status(_ headers: [(String, String)]) -> Int? { client.response(on: client.begin(headers))?.status }
            #expect(status(HTTP2Client.request("/open", authority: "evil.example")) == 421)
            #expect(status(HTTP2Client.request("/open", authority: nil)) == 400)
            #expect(status(HTTP2Client.request("/open", authority: nil, [("host", "localhost")])) == 400)
            #expect(status(HTTP2Client.request("/open", [("host", "localhost")])) == 200)
            #expect(status(HTTP2Client.request("/open", [("host", "evil.example")])) == 400)
            #expect(status(HTTP2Client.request("/open", [("host", "localhost"), ("host", "localhost")])) == 400)
            #expect(
                status([(":method", "GET"), (":scheme", "http"), (":path", "/open"), (":authority", "localhost")])
                    == 400)
            #expect(status([(":method", "CONNECT"), (":authority", "localhost")]) == 400)
        }
    }

    @Test func theLimitsOfRequestsAreThoseOfHTTP1() async throws {
        try await withServer { server in
            let client = try server.connectByHTTP2()
            func status(_ headers: [(String, String)], body: [UInt8]? = nil, isComplete: Bool = true) -> Int? {
                let stream = client.begin(headers, body: body, isComplete: isComplete)
                let response = client.response(on: stream)
                #expect(response?.hasEnded == true)
                return response?.status
            }
            let long = String(repeating: "a", count: 3_000)
            #expect(status(HTTP2Client.request("/\(long)")) == 414)
            let many = (0..<70).map { ("x-\($0)", "y") }
            #expect(status(HTTP2Client.request("/open", many)) == 431)
            let large = (0..<6).map { ("x-\($0)", long) }
            #expect(status(HTTP2Client.request("/open", large)) == 431)
            let post = HTTP2Client.request("/echo", method: "POST", [("content-length", "70000")])
            #expect(status(post, isComplete: false) == 413)
            #expect(
                status(HTTP2Client.request("/echo", method: "POST", [("content-length", "+3")]), isComplete: false)
                    == 400)
            // A body needs no length, because its frames have one.
            let body = [UInt8](repeating: 1, count: 16_000)
            let stream = client.begin(HTTP2Client.request("/echo", method: "POST"), body: body, isComplete: false)
            for _ in 0..<3 { client.send(HTTP2Client.frame(.data, on: stream, body)) }
            let isExtended = client.wait { client in
                client.others.contains { $0.isA(.windowUpdate) && $0.stream == stream } ? true : nil
            }
            #expect(isExtended == true)
            client.send(HTTP2Client.frame(.data, on: stream, body))
            // The rest is not wanted: NO_ERROR.
            #expect(client.wait { $0.responses[stream]?.reset } == 0)
            #expect(client.responses[stream]?.status == 413 && client.responses[stream]?.hasEnded == true)
            #expect(client.ask("/echo", method: "POST", body: body)?.body == body)
        }
    }

    @Test func aClientThatWaitsIsToldToContinue() async throws {
        try await withServer { server in
            let client = try server.connectByHTTP2()
            let stream = client.begin(
                HTTP2Client.request("/echo", method: "POST", [("expect", "100-continue")]), isComplete: false)
            #expect(client.wait { $0.responses[stream]?.status } == 100)
            client.send(HTTP2Client.frame(.data, flags: 1, on: stream, Array("abc".utf8)))
            #expect(client.response(on: stream)?.text == "abc")
        }
    }

    @Test func aSlowRequestIsRefusedAndTheOthersContinue() async throws {
        try await withServer {
            $0.connection.requestSeconds = 1
        } _: { server in
            let client = try server.connectByHTTP2()
            let slow = client.begin(HTTP2Client.request("/echo", method: "POST"), body: [1], isComplete: false)
            #expect(client.response(on: slow)?.status == 408)
            #expect(client.ask("/open")?.text == "hello\n")
        }
    }

    @Test func aSilentConnectionIsClosedWithAGoodbye() async throws {
        try await withServer {
            $0.connection.idleSeconds = 1
        } _: { server in
            let client = try server.connectByHTTP2()
            #expect(client.ask("/open")?.status == 200)
            #expect(client.isClosedByServer() && client.goodbye == 0)
            // The block of headers has no end, so there is no stream.
            let incomplete = try server.connectByHTTP2()
            incomplete.send(HTTP2Client.frame(.headers, on: 1, HTTP2Client.block(HTTP2Client.request("/open"))))
            #expect(incomplete.isClosedByServer())
        }
    }

    @Test func aStoppedServerSaysGoodbye() async throws {
        let server = try TestServer { $0.tls = .fixture }
        let client = try server.connectByHTTP2()
        let never = client.begin(HTTP2Client.request("/never"))
        #expect(client.ask("/open")?.status == 200)
        await server.stop()
        #expect(client.isClosedByServer() && client.goodbye == 0 && client.responses[never]?.status == nil)
    }

    @Test func theConnectionCountsUntilItCloses() async throws {
        let services = TestServices(limit: 1)
        try await withServer(services) { server in
            var client: HTTP2Client? = try server.connectByHTTP2()
            #expect(client?.ask("/open")?.status == 200)
            client?.begin(HTTP2Client.request("/never"))
            #expect(services.counts.withLock { $0 == (1, 0) })
            client = nil
            #expect(await eventually(within: 20) { services.counts.withLock { $0 == (0, 0) } })
        }
    }

    @Test func aWebSocketNeedsHTTP1() async throws {
        try await withServer { server in
            let client = try server.connectByHTTP2()
            let response = client.ask("/api/v1/ws")
            #expect(response?.status == 426 && response?.text.contains("HTTP/1.1") == true)
        }
    }

    /// The client chooses the size of the table for headers of responses, up to 4 GB.
    @Test func noHeaderOfAResponseEntersTheTableOfTheEncoder() async throws {
        try await withServer { server in
            let client = try server.connectByHTTP2(settings: [(1, .max)])
            for _ in 0..<3 { #expect(client.ask("/open")?.status == 200) }
            let response = try #require(client.responses[5])
            var (decoder, block) = (HPACKDecoder(allocator: ByteBufferAllocator()), ByteBuffer(bytes: response.block))
            let headers = try decoder.decodeHeaders(from: &block)
            #expect(headers.first(name: "content-length") == "6")
        }
    }
}

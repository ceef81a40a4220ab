import RTSPClient
import TestSupport
import Testing

@testable import WebRTCClient

/// Servers that refuse an offer, or answer with something that cannot be used.
struct RefusalTests {
    /// Why a session with a web server ends.
    ///
    /// - Parameter farewell: the path of the DELETE that is expected; `nil` if there is no session.
    private func end(
        farewell: String? = nil, _ answer: @escaping @Sendable (WebServer.Request) -> WebServer.Response?
    ) async throws -> String {
        let server = try WebServer(answering: answer)
        defer { server.stop() }
        let address = HTTPAddress(
            isSecure: false, host: "127.0.0.1", port: UInt16(server.port), target: "/cam/whep?quality=low")
        let events = try await PlaybackWatch.run(try PlaybackPlan(address))
        #expect(events.isConnected && !events.isPlaying)
        let request = try #require(server.all.first)
        #expect(request.method == "POST" && request.path == "/cam/whep?quality=low")
        #expect(request.header("Content-Type") == "application/sdp" && request.header("Host") == address.authority)
        #expect(request.body.contains("a=recvonly"))
        #expect(Array(server.requestLines.dropFirst()) == (farewell.map { ["DELETE \($0)"] } ?? []))
        return try #require(events.end).description
    }

    /// A response with an answer.
    private static func created(_ answer: String) -> WebServer.Response {
        WebServer.Response(
            201, ["Content-Type: application/sdp", "Location: /sessions/1"], body: Array(answer.utf8))
    }

    private static func answer(candidate: String, media: String = "video") -> String {
        """
        v=0\r
        o=- 1 1 IN IP4 0.0.0.0\r
        s=-\r
        t=0 0\r
        a=group:BUNDLE 0\r
        a=ice-ufrag:abcd\r
        a=ice-pwd:0123456789012345678901\r
        a=fingerprint:sha-256 \([String](repeating: "0A", count: 32).joined(separator: ":"))\r
        a=setup:passive\r
        m=\(media) 9 UDP/TLS/RTP/SAVPF 96\r
        a=candidate:\(candidate)\r
        a=mid:0\r
        a=sendonly\r
        a=rtcp-mux\r
        a=rtpmap:96 H264/90000\r
        a=fmtp:96 packetization-mode=1;profile-level-id=42e01f\r
        m=audio 0 UDP/TLS/RTP/SAVPF 111\r
        a=inactive\r

        """
    }

    @Test func aRefusalIsReportedWithTheWordsOfTheServer() async throws {
        let problem = #"{"title":"Not Found","status":404,"detail":"there is no stream at /cam"}"#
        #expect(
            try await end { _ in
                WebServer.Response(404, ["Content-Type: application/problem+json"], body: Array(problem.utf8))
            } == "404 Decided: there is no stream at /cam")
        #expect(
            try await end { _ in WebServer.Response(406, ["Content-Type: text/plain"], body: Array("no H.264\nx".utf8))
            }
                == "406 Decided: no H.264")
        #expect(try await end { _ in WebServer.Response(503) } == "503 Decided")
    }

    /// A server may answer with a page, of which the client keeps 64 KB.
    @Test func aRefusalWithALongBodyIsReported() async throws {
        let page = [UInt8](repeating: 0x20, count: 1 << 20)
        for (status, reason) in [
            (404, "404 Decided"), (307, "the server has moved the stream to another address"),
            (401, "the server requires a user and a password"),
            (200, "200 Decided instead of 201 Created, so it is not an address of WHEP"),
            (201, "invalid HTTP from the server: the body is longer than 65536 bytes"),
        ] {
            #expect(
                try await end { _ in WebServer.Response(status, ["Content-Type: text/html"], body: page) } == reason)
        }
    }

    @Test func anotherSuccessThanCreatedIsNoWHEP() async throws {
        #expect(
            try await end { _ in WebServer.Response(200, ["Content-Type: text/html"], body: Array("<html>".utf8)) }
                == "200 Decided instead of 201 Created, so it is not an address of WHEP")
    }

    @Test func aRedirectionIsNotFollowed() async throws {
        #expect(
            try await end { _ in WebServer.Response(307, ["Location: http://elsewhere/whep"]) }
                == "the server has moved the stream to http://elsewhere/whep")
    }

    @Test func aPasswordIsAskedFor() async throws {
        #expect(
            try await end { _ in WebServer.Response(401, ["WWW-Authenticate: Basic realm=\"x\""]) }
                == "the server requires a user and a password")
    }

    @Test(arguments: [
        ("nonsense", "the answer is malformed: "),
        (answer(candidate: "1 1 tcp 5 127.0.0.1 9 typ host"), "the answer names no address over UDP"),
        (answer(candidate: "1 1 udp 5 camera.local 9 typ host"), "the answer names no address over UDP"),
        (answer(candidate: "1 1 udp 5 224.0.0.1 9 typ host"), "the answer names no address over UDP"),
        (
            answer(candidate: "1 1 udp 5 127.0.0.1 9 typ host", media: "application"),
            "the answer has application in place of video"
        ),
    ])
    func anUnusableAnswerIsReportedAndItsSessionEnded(_ answer: String, _ reason: String) async throws {
        let end = try await end(farewell: "/sessions/1") { _ in Self.created(answer) }
        #expect(end.hasPrefix(reason), "\(end)")
    }

    /// The session is over for the client, even if the server does not know it.
    @Test func theFirstFailureIsReported() async throws {
        let end = try await end(farewell: "/sessions/1") { request in
            request.method == "POST" ? Self.created("nonsense") : WebServer.Response(404)
        }
        #expect(end.hasPrefix("the answer is malformed: "), "\(end)")
    }

    @Test func aServerThatIsNotThereIsReported() async throws {
        let address = HTTPAddress(
            isSecure: false, host: "127.0.0.1", port: UInt16(try LoopbackSocket.freePort()), target: "/whep")
        let events = try await PlaybackWatch.run(try PlaybackPlan(address))
        #expect(events.end?.description.contains("Connection refused") == true)
        #expect(!events.isConnected)
    }
}

import HTTP
import Logging
import RTSP
import TestSupport
import Testing

@testable import HTTPServer

/// Tokens in URLs, which programs use that can send neither a password nor a cookie.
struct TokenTests {
    private static let ann = "Authorization: " + Authorization.basicHeaderValue(user: "ann", password: "sesame")

    private static func policy() throws -> AccessPolicy {
        let hashes = try HashFunctions.openSSL()
        let all = [try #require(PathPattern("*"))]
        var guessing = GuessLimits()
        guessing.delayMilliseconds = 0
        return AccessPolicy(
            realm: "Apus",
            users: [
                .init(name: "ann", secret: .password("sesame"), rights: [.read: all, .control: all, .status: all])
            ],
            guessing: guessing, hashes: { hashes }, random: { .random(in: .min ... .max) })
    }

    /// A server, and a token for `/cam` that its API has made.
    private func withToken(
        log: LoggedLines = LoggedLines(), _ body: (TestServer, HTTPSocket, String) async throws -> Void
    ) async throws {
        let live = LiveStream()
        live.publishGroup(1)
        let services = TestServices(try Self.policy())
        services.streams.withLock { $0["/cam"] = live.path }
        // The tests' proxy states TLS, so that Basic is accepted.
        let change: (inout HTTPServer.ServerOptions) -> Void = {
            $0.trustedProxies = [AddressBlock("127.0.0.1")].compactMap(\.self)
        }
        try await TestServer.run(services, log: log.log, change) { server in
            let client = try server.connect()
            let answer = client.ask(
                "POST /api/v1/tokens?path=/cam", "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.1", Self.ann)
            #expect(answer?.status == 200 && answer?.header("Cache-Control") == "no-store")
            let text = try #require(answer?.text)
            let parts = try #require(text.wholeMatch(of: /\{"expires":([0-9.]+),"token":"([0-9A-Za-z]+)"\}/))
            let seconds = (try #require(Double(parts.1)) - unixMilliseconds()) / 1_000
            #expect((50...60).contains(seconds))
            try await body(server, client, String(parts.2))
        }
    }

    @Test func aTokenAdmitsToOnePathFromAnyAddress() async throws {
        try await withToken { server, client, token in
            #expect(client.ask("GET /cam/watch?token=\(token)")?.text == "/cam 127.0.0.1")
            #expect(client.ask("HEAD /cam/index.mp4?token=\(token)")?.status == 200)
            #expect(client.ask("GET /cam/?token=\(token)")?.header("Referrer-Policy") == "no-referrer")
            let socket = try WebSocketClient(server, "/cam/ws?token=\(token)")
            #expect(socket.message("init") != nil)
        }
    }

    @Test func aTokenAdmitsToNothingElse() async throws {
        try await withToken { _, client, token in
            for request in [
                "GET /yard/watch", "GET /yard/", "GET /", "GET /status", "POST /cam/change", "POST /api/v1/tokens",
            ] {
                let response = client.ask("\(request)?token=\(token)&path=/cam")
                #expect(response?.status == 401, "\(request)")
            }
        }
    }

    @Test func aForgedTokenIsRefusedWithTheReason() async throws {
        try await withToken { _, client, token in
            let forged = String(token.dropLast()) + (token.hasSuffix("0") ? "1" : "0")
            let later = "7" + token.dropFirst()
            for text in [forged, later, "x", ""] {
                let response = client.ask("GET /cam/watch?token=\(text)")
                #expect(response?.status == 401 && response?.text.contains("token") == true, "\(text)")
            }
        }
    }

    @Test func aClientOfATokenSeesNoOtherStream() async throws {
        try await withToken { server, _, token in
            let client = try WebSocketClient(server, "/cam/ws?token=\(token)")
            client.send(#"{"type":"subscribe","topic":"events"}"#)
            #expect(client.message("error") != nil)
            client.send(#"{"type":"subscribe","topic":"viewers","path":"/cam"}"#)
            #expect(client.message("error") != nil)
        }
    }

    @Test func onlyAUserCanMakeAToken() async throws {
        try await withToken { server, client, _ in
            #expect(client.ask("POST /api/v1/tokens?path=/cam")?.status == 401)
            #expect(client.ask("POST /api/v1/tokens?path=/cam", Self.ann, "Origin: http://evil.example")?.status == 403)
        }
        try await TestServer.run(TestServices()) { server in
            let client = try server.connect()
            #expect(client.ask("POST /api/v1/tokens?path=/cam")?.status == 409)
            #expect(client.ask("POST /api/v1/tokens")?.status == 400)
        }
    }

    @Test func theLogHasNoToken() async throws {
        let log = LoggedLines()
        try await withToken(log: log) { server, client, token in
            #expect(client.ask("GET /cam/watch?token=\(token)")?.status == 200)
            #expect(client.ask("GET /yard/watch?token=\(token)")?.status == 401)
            let socket = try WebSocketClient(server, "/cam/ws?token=\(token)")
            #expect(socket.message("init") != nil)
            #expect(await eventually(within: 20) { log.text.contains("joined") })
            #expect(!log.text.contains(token))
        }
    }
}

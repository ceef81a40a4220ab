import COpenSSL
import HTTP
import Media
import RTSP
import Reactor
import SDP
import Server
import TestSupport
import Testing

@testable import HTTPServer

/// Which clients may do what over HTTP.
struct HTTPServerAccessTests {
    private static func policy(loopback: AccessPolicy.Loopback = .asOthers, denied: [AddressBlock] = []) throws
        -> AccessPolicy
    {
        let hashes = try HashFunctions.openSSL()
        let all = [try #require(PathPattern("*"))]
        var guessing = GuessLimits()
        (guessing.delayMilliseconds, guessing.guessCount) = (0, 3)
        return AccessPolicy(
            realm: "Apus",
            users: [
                .init(name: "ann", secret: .password("sesame"), rights: [.read: all, .control: all, .status: all]),
                .init(name: "bob", secret: .password("garden"), rights: [.read: [try #require(PathPattern("yard/*"))]]),
            ], addresses: AddressRules(denied: denied), guessing: guessing, loopback: loopback, hashes: { hashes },
            random: { .random(in: .min ... .max) })
    }

    private func withServer(
        _ policy: AccessPolicy?, decision: AccessDecision = .refused,
        _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in },
        _ body: (TestServer, HTTPSocket) async throws -> Void
    ) async throws {
        try await TestServer.run(TestServices(policy, decision: decision), change) { server in
            try await body(server, try server.connect())
        }
    }

    /// `Authorization` in answer to a challenge.
    private static func digest(
        _ response: HTTPSocket.Response?, _ method: String, _ target: String, user: String = "ann",
        password: String = "sesame", count: String = "00000001"
    ) throws -> String {
        let text = try #require(response?.header("WWW-Authenticate"))
        let nonce = try #require(text.firstMatch(of: /nonce="([^"]*)"/)).1
        let credentials = DigestCredentials(
            answering: DigestChallenge(realm: "Apus", nonce: String(nonce)), user: user, password: password,
            method: Method(rawValue: method), uri: target,
            protection: .init(countDigits: count, clientNonce: "c"), hashes: try .openSSL())
        return "Authorization: \(credentials.headerValue)"
    }

    @Test func aUserLogsInByDigest() async throws {
        try await withServer(try Self.policy()) { server, client in
            let challenge = client.ask("GET /cam/watch")
            #expect(challenge?.status == 401 && challenge?.text.contains("about:blank") == true)
            let login = try Self.digest(challenge, "GET", "/cam/watch")
            #expect(client.ask("GET /cam/watch", login)?.text == "/cam 127.0.0.1")
            let replay = client.ask("GET /cam/watch", login)
            #expect(replay?.status == 401 && replay?.header("WWW-Authenticate")?.contains("stale=true") == true)
            // Another connection may use the same nonce.
            let second = try Self.digest(challenge, "GET", "/cam/watch", count: "00000002")
            #expect(try server.connect().ask("GET /cam/watch", second)?.status == 200)
            let wrong = try Self.digest(challenge, "GET", "/cam/watch", password: "wrong", count: "00000003")
            #expect(client.ask("GET /cam/watch", wrong)?.status == 401)
            #expect(
                client.ask("GET /status", try Self.digest(challenge, "GET", "/status", count: "00000004"))?.text
                    == "ann")
        }
    }

    @Test func rightsAreThoseOfRTSP() async throws {
        try await withServer(try Self.policy()) { _, client in
            var count = 0
            func status(_ method: String, _ target: String, _ more: String = "X: y") throws -> Int? {
                count += 1
                let challenge = client.ask("\(method) \(target)")
                let login = try Self.digest(
                    challenge, method, target, user: "bob", password: "garden", count: "0000000\(count)")
                return client.ask("\(method) \(target)", login, more)?.status
            }
            let own = try status("GET", "/yard/cam/watch")
            #expect(own == 200)
            // A path without permission looks like a wrong password.
            for (method, target) in [("GET", "/cam/watch"), ("GET", "/status"), ("POST", "/yard/cam/change")] {
                #expect(try status(method, target) == 401, "\(target)")
            }
        }
    }

    @Test func wrongPasswordsLockTheAddressOut() async throws {
        try await withServer(try Self.policy()) { _, client in
            let challenge = client.ask("GET /cam/watch")
            for count in 1...3 {
                let wrong = try Self.digest(
                    challenge, "GET", "/cam/watch", password: "wrong\(count)", count: "0000000\(count)")
                #expect(client.ask("GET /cam/watch", wrong)?.status == 401)
            }
            let right = try Self.digest(challenge, "GET", "/cam/watch", count: "00000009")
            let refused = client.ask("GET /cam/watch", right)
            #expect(refused?.status == 403 && refused?.header("Retry-After") == "300")
        }
    }

    @Test func basicAndBearerNeedTLS() async throws {
        try await withServer(try Self.policy()) { _, client in
            let basic = "Authorization: Basic \(Base64.encode(Array("ann:sesame".utf8)))"
            #expect(client.ask("GET /cam/watch", basic)?.status == 401)
            #expect(client.ask("GET /cam/watch", "Authorization: Bearer x")?.status == 401)
        }
        try await withServer(try Self.policy()) {
            $0.trustedProxies = [AddressBlock("127.0.0.0/8")].compactMap(\.self)
        } _: { _, client in
            let basic = "Authorization: Basic \(Base64.encode(Array("ann:sesame".utf8)))"
            #expect(client.ask("GET /cam/watch", basic, "X-Forwarded-Proto: https")?.status == 200)
        }
    }

    /// A loopback address grants the rights to watch and to read the status, but only to a program on this host.
    @Test(arguments: [nil, AccessPolicy.Loopback.free, .freeToPublish] as [AccessPolicy.Loopback?])
    func loopbackGrantsTheRightToWatchToThisHostAlone(loopback: AccessPolicy.Loopback?) async throws {
        try await withServer(try loopback.map { try Self.policy(loopback: $0) }) {
            $0.hosts = [Authority("cam.example")].compactMap(\.self)
        } _: { _, client in
            #expect(client.ask("GET /cam/watch")?.status == 200)
            #expect(client.ask("GET /status")?.status == 200)
            #expect(client.ask("GET /status", "Host: [::1]:8888")?.status == 200)
            let refusal = loopback == nil ? 403 : 401
            #expect(client.ask("POST /cam/change")?.status == refusal)
            for header in [
                "X-Forwarded-For: 192.0.2.7", "Forwarded: for=192.0.2.7", "Via: 1.1 proxy", "Host: cam.example",
            ] {
                #expect(client.ask("GET /status", header)?.status == refusal, "\(header)")
                // Without users, everyone may watch.
                #expect(client.ask("GET /cam/watch", header)?.status == (loopback == nil ? 200 : 401), "\(header)")
            }
        }
    }

    @Test func onlyNamesOfThisServerAreAnswered() async throws {
        try await withServer(nil) {
            $0.hosts = [Authority("cam.example")].compactMap(\.self)
        } _: { _, client in
            for host in [
                "localhost", "LOCALHOST:1", "127.0.0.1:8888", "127.9.9.9", "[::1]", "cam.example.", "Cam.Example:80",
            ] {
                #expect(client.ask("GET /open", "Host: \(host)")?.status == 200, "\(host)")
            }
            for host in [
                "attacker.example", "192.0.2.99", "localhost.attacker.example", "xlocalhost", "[2001:db8::99]",
            ] {
                let response = client.ask("GET /open", "Host: \(host)")
                #expect(response?.status == 421 && response?.text.contains("http.hosts") == true, "\(host)")
                #expect(client.ask("GET http://\(host)/open")?.status == 421, "the absolute form counts")
            }
            #expect(client.ask("GET /open", "Host: a b")?.status == 400)
        }
    }

    @Test func aTrustedProxyTellsTheClient() async throws {
        let denied = [try #require(AddressBlock("192.0.2.66"))]
        try await withServer(try Self.policy(loopback: .free, denied: denied)) {
            $0.trustedProxies = [AddressBlock("127.0.0.0/8")].compactMap(\.self)
        } _: { _, client in
            #expect(client.ask("GET /open", "X-Forwarded-For: 192.0.2.66")?.status == 403)
            #expect(client.ask("GET /open", "X-Forwarded-For: 192.0.2.66, 192.0.2.7")?.status == 200)
            #expect(client.ask("GET /open", "Forwarded: for=192.0.2.66;proto=https")?.status == 403)
        }
        try await withServer(try Self.policy(denied: denied)) { _, client in
            #expect(client.ask("GET /open", "X-Forwarded-For: 192.0.2.66")?.status == 200, "it proves nothing")
        }
    }

    /// Logs and reports show the client's own address, without a port, because the proxy does not state one.
    @Test func aClientBehindATrustedProxyHasItsOwnName() throws {
        let (proxy, host) = (SocketAddress.loopback(.ipv4, port: 5), try #require(Authority("cam.example")))
        func name(_ proxies: [AddressBlock]) -> String {
            ClientIdentity(
                peer: proxy, security: .clear, host: host,
                forwarding: Forwarding(forwarded: [], xForwardedFor: ["192.0.2.7"], xForwardedProto: [], via: []),
                trustedProxies: proxies
            ).name
        }
        #expect(name([try #require(AddressBlock("127.0.0.1"))]) == "192.0.2.7")
        #expect(name([]) == "127.0.0.1:5")
    }

    @Test func pagesOfOtherServersMayNotChangeAnything() async throws {
        try await withServer(try Self.policy()) {
            $0.origins = [Origin("https://home.example")].compactMap(\.self)
        } _: { _, client in
            for header in [
                "Origin: http://attacker.example", "Origin: null", "Origin: https://localhost",
                "Sec-Fetch-Site: cross-site",
            ] {
                #expect(client.ask("POST /cam/change", header)?.status == 403, "\(header)")
                #expect(client.ask("GET /open", header)?.header("Access-Control-Allow-Origin") == nil)
            }
            #expect(client.ask("POST /cam/change", "Origin: http://localhost")?.status == 401)
            let permitted = client.ask("POST /cam/change", "Origin: https://home.example")
            #expect(permitted?.status == 401)
            #expect(permitted?.header("Access-Control-Allow-Origin") == "https://home.example")
            #expect(permitted?.header("Access-Control-Expose-Headers") == "ETag, Link, Location, Retry-After")
            let preflight = client.ask("OPTIONS /cam/change", "Origin: https://home.example")
            #expect(preflight?.status == 204 && preflight?.header("Access-Control-Allow-Methods") == "POST")
            #expect(
                client.ask("OPTIONS /cam/change", "Origin: http://attacker.example")?.header(
                    "Access-Control-Allow-Methods") == nil)
        }
    }

    @Test func anExternalServiceDecides() async throws {
        let policy = AccessPolicy(realm: "Apus", users: [], exemptPaths: [], hashes: { nil }, random: { 7 })
        try await withServer(policy, decision: .admitted) { server, client in
            #expect(client.ask("GET /cam/watch?day=1", "User-Agent: test")?.status == 200)
            #expect(client.ask("GET /cam/watch?day=1")?.status == 200)
            let questions = server.services.questions.withLock(\.self)
            #expect(questions.count == 1, "a decision holds for the connection")
            #expect(questions.first?.path == "cam" && questions.first?.query == "day=1")
            #expect(questions.first?.application == .http && questions.first?.userAgent == "test")
            #expect(client.ask("GET /status")?.status == 200)
            #expect(server.services.questions.withLock { $0.map(\.right) } == [.read, .status])
        }
        try await withServer(policy) { _, client in #expect(client.ask("GET /cam/watch")?.status == 403) }
        try await withServer(policy, decision: .unavailable) { _, client in
            #expect(client.ask("GET /cam/watch")?.status == 503)
        }
    }
}

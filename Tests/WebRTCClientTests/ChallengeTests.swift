import RTSP
import TestSupport
import Testing

@testable import WebRTCClient

/// Servers that ask for a password.
struct ChallengeTests {
    private static let challenge = "WWW-Authenticate: Basic realm=\"x\""

    /// The credentials of Basic, which need no hash.
    private static let login = ClientLogin(
        user: "ann", secret: .password("sesame"),
        hashes: HashFunctions(
            md5: { _ in [] }, sha256: { _ in [] }, stretched: { _, _ in [] }, isSame: { $0 == $1 }),
        random: { 7 })

    /// How a session ends with a server that asks for a password by this response, and answers 404 to the right one.
    private func end(
        asking response: WebServer.Response, endsConnections: Bool = false
    ) async throws -> (end: String?, authorizations: [String?]) {
        let server = try WebServer(answering: { request in
            // "ann:sesame"
            guard request.header("Authorization") == "Basic YW5uOnNlc2FtZQ==" else { return response }
            return WebServer.Response(404, endsConnection: endsConnections)
        })
        defer { server.stop() }
        var plan = try PlaybackPlan(
            HTTPAddress(isSecure: false, host: "127.0.0.1", port: UInt16(server.port), target: "/cam/whep"))
        plan.login = Self.login
        let events = try await PlaybackWatch.run(plan)
        return (events.end?.description, server.all.map { $0.header("Authorization") })
    }

    @Test func thePasswordIsSentOverTheSameConnection() async throws {
        let outcome = try await end(asking: WebServer.Response(401, [Self.challenge]))
        #expect(outcome.end == "404 Decided" && outcome.authorizations.count == 2)
    }

    /// The server says that it closes the connection, or closes it without a word, or sends more than the client reads.
    @Test(arguments: [
        WebServer.Response(401, [challenge, "Connection: close"], endsConnection: true),
        WebServer.Response(401, [challenge], endsConnection: true),
        WebServer.Response(401, [challenge], body: [UInt8](repeating: 0x20, count: 100_000)),
    ])
    func thePasswordIsSentOverAnotherConnection(_ response: WebServer.Response) async throws {
        let outcome = try await end(asking: response)
        #expect(outcome.end == "404 Decided", "\(outcome)")
        #expect(outcome.authorizations.first == .some(nil) && outcome.authorizations.last??.isEmpty == false)
    }

    @Test func aServerThatAlwaysClosesIsAnsweredToo() async throws {
        let response = WebServer.Response(401, [Self.challenge], endsConnection: true)
        #expect(try await end(asking: response, endsConnections: true).end == "404 Decided")
    }

    @Test func aWrongPasswordIsTriedOnce() async throws {
        let server = try WebServer(answering: { _ in
            WebServer.Response(401, [Self.challenge], endsConnection: true)
        })
        defer { server.stop() }
        var plan = try PlaybackPlan(
            HTTPAddress(isSecure: false, host: "127.0.0.1", port: UInt16(server.port), target: "/cam/whep"))
        plan.login = Self.login
        #expect(try await PlaybackWatch.run(plan).end?.description == "wrong user or password")
        #expect(server.all.count { $0.header("Authorization") != nil } == 1)
    }
}

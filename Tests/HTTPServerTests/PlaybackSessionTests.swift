import HTTP
import Media
import RTSP
import Streams
import TestSupport
import Testing

@testable import HTTPServer

/// Players of HLS as viewers: who may go on, and who is counted.
struct PlaybackSessionTests {
    private static let ann = "Authorization: " + Authorization.basicHeaderValue(user: "ann", password: "sesame")
    /// What the tests' proxy states of two clients.
    private static let phone = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https"]
    private static let other = ["X-Forwarded-For: 192.0.2.2", "X-Forwarded-Proto: https"]

    private static func policy() throws -> AccessPolicy {
        let hashes = try HashFunctions.openSSL()
        let all = [try #require(PathPattern("*"))]
        var guessing = GuessLimits()
        guessing.delayMilliseconds = 0
        return AccessPolicy(
            realm: "Apus", users: [.init(name: "ann", secret: .password("sesame"), rights: [.read: all])],
            guessing: guessing, hashes: { hashes }, random: { .random(in: .min ... .max) })
    }

    private func withServer(
        by policy: AccessPolicy? = nil, _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in }, limit: Int = 100,
        events: EventBus? = nil, _ body: (TestServer, LiveStream) async throws -> Void
    ) async throws {
        let live = LiveStream(events: events)
        live.publishGroup(25)
        live.publishGroup(25)
        live.publishGroup(6)
        let services = TestServices(policy, limit: limit)
        for path in ["/cam", "/yard"] { services.streams.withLock { $0[path] = live.path } }
        try await TestServer.run(
            services,
            {
                $0.trustedProxies = [AddressBlock("127.0.0.1")].compactMap(\.self)
                change(&$0)
            }
        ) { try await body($0, live) }
    }

    @Test func aPlayerGoesOnByItsLabelAlone() async throws {
        try await withServer(by: Self.policy()) { server, _ in
            let token = try token(server)
            let player = try Player(server, "/cam", "?token=\(token)", Self.phone[0], Self.phone[1])
            let segment = try #require(player.segments.last)
            #expect(player.get(segment)?.status == 200)
        }
    }

    @Test func aLabelIsWorthNothingToOthers() async throws {
        try await withServer(by: Self.policy()) { server, _ in
            let player = try Player(server, "/cam", "?token=\(try token(server))", Self.phone[0], Self.phone[1])
            let client = try server.connect()
            let playlist = "\(player.folder)/all-0.m3u8"
            #expect(client.ask("GET \(playlist)", Self.phone[0], Self.phone[1])?.status == 200)
            #expect(client.ask("GET \(playlist)", Self.other[0], Self.other[1])?.status == 401)
            #expect(client.ask("GET \(playlist)", Self.phone[0])?.status == 401)
            let elsewhere = playlist.replacing("/cam/", with: "/yard/")
            #expect(client.ask("GET \(elsewhere)", Self.phone[0], Self.phone[1])?.status == 401)
            let forged = "/cam/~\(String(repeating: "0", count: 32))/all-0.m3u8"
            #expect(client.ask("GET \(forged)", Self.phone[0], Self.phone[1])?.status == 401)
            #expect(client.ask("GET \(forged)", Self.phone[0], Self.phone[1], Self.ann)?.status == 200)
            #expect(client.ask("GET /cam/~x/all-0.m3u8", Self.phone[0], Self.phone[1], Self.ann)?.status == 404)
        }
    }

    private func token(_ server: TestServer) throws -> Substring {
        let answer = try server.connect().ask(
            "POST /api/v1/tokens?path=/cam", Self.phone[0], Self.phone[1], Self.ann)
        return try #require(answer?.text.firstMatch(of: /"token":"([0-9A-Za-z]+)"/)).1
    }

    @Test func aPlayerIsAViewerOnceItPlays() async throws {
        let bus = EventBus(run: "test") { 0 }
        let subscription = try #require(bus.subscribe { $0.kind == .viewerJoined || $0.kind == .viewerLeft })
        try await withServer({ $0.playback.silenceMilliseconds = 3_000 }, events: bus) { server, live in
            let player = try Player(server, "/cam", "", "User-Agent: tv/1")
            #expect(await server.server.viewers(at: .now()).isEmpty)
            #expect(player.segments.count == 2)
            let viewers = await server.server.viewers(at: .now())
            #expect(viewers.map(\.transport) == ["HLS"] && viewers.first?.client == "tv/1")
            #expect(await server.server.viewerCounts() == ["/cam": 1])
            #expect(server.services.viewers.withLock(\.self) == 1)
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 0 })
            #expect(live.stream.viewerCounts.counts.joined == ["HLS": 1])
            #expect(live.stream.viewerCounts.counts.left.map(\.key.departure) == [.silent])
            #expect(subscription.take().events.map(\.kind) == [.viewerJoined, .viewerLeft])
            // It plays again by the same label. Its playlist may have gone on meanwhile: without media it gets gaps.
            #expect(!player.segments.isEmpty)
            #expect(live.stream.viewerCounts.counts.joined == ["HLS": 2])
        }
    }

    @Test func anOperatorCanDisconnectAPlayer() async throws {
        try await withServer { server, live in
            let player = try Player(server, "/cam")
            #expect(player.segments.count == 2)
            let id = try #require(await server.server.viewers(at: .now()).first?.id)
            #expect(await server.server.disconnect(viewer: id))
            #expect(await server.server.viewers(at: .now()).isEmpty)
            #expect(player.get("all-0.m3u8")?.status == 403)
            #expect(live.stream.viewerCounts.counts.left.map(\.key.departure) == [.disconnected])
        }
    }

    @Test func viewersAreLimitedLikeAllOthers() async throws {
        try await withServer(limit: 4) { server, _ in
            server.services.viewers.withLock { $0 = 4 }
            let player = try Player(server, "/cam")
            #expect(player.get("all-0.m3u8")?.status == 503)
            server.services.viewers.withLock { $0 = 3 }
            // The refusal has ended the connection.
            let another = try Player(server, "/cam")
            #expect(another.get("all-0.m3u8")?.status == 200)
        }
    }

    @Test func oneAddressHasABoundedNumberOfPlayers() async throws {
        try await withServer({ $0.playback.sessionsPerAddress = 2 }) { server, _ in
            let players = try (0..<4).map { _ in try Player(server, "/cam", "", Self.phone[0]) }
            #expect(players.map { $0.get("all-0.m3u8")?.status } == [200, 200, 503, 503])
            let other = try Player(server, "/cam", "", Self.other[0])
            #expect(other.get("all-0.m3u8")?.status == 200)
        }
    }
}

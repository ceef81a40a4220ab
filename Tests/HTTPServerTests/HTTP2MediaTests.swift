import TestSupport
import Testing

@testable import HTTPServer

/// Live bodies over HTTP/2: each follows its stream by itself.
struct HTTP2MediaTests {
    private func withServer(
        _ live: LiveStream, _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let services = TestServices()
        services.streams.withLock { $0[live.stream.path] = live.path }
        try await TestServer.run(services) {
            $0.tls = .fixture
            change(&$0)
        } _: { server in
            try await body(server)
        }
    }

    private func fragments(_ client: HTTP2Client, on stream: UInt32, count: Int) -> [MovieBoxes.Fragment]? {
        client.wait { client in
            let fragments = MovieBoxes(client.responses[stream]?.body ?? []).fragments
            return fragments.count >= count ? fragments : nil
        }
    }

    @Test func severalFilesShareAConnection() async throws {
        let live = LiveStream()
        live.publishGroup(2)
        try await withServer(live) { server in
            let client = try server.connectByHTTP2()
            let streams = (0..<4).map { _ in client.begin(HTTP2Client.request("/cam/index.mp4")) }
            for stream in streams { #expect(fragments(client, on: stream, count: 2) != nil) }
            for _ in 0..<10 { live.publish() }
            for stream in streams {
                let times = try #require(fragments(client, on: stream, count: 12)).map(\.decodeTime)
                #expect(times == (0..<12).map { $0 * 3_600 })
                #expect(client.responses[stream]?.header("Content-Type") == "video/mp4; codecs=\"avc3.42C01E\"")
            }
            // The client cancels one of them.
            client.send(HTTP2Client.frame(.reset, on: streams[0], HTTP2Client.bytes(8)))
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 3 })
        }
        #expect(!live.stream.demand.isNeeded)
    }

    @Test func aFileWithADurationEndsItsStream() async throws {
        let live = LiveStream()
        try await withServer(live) { server in
            let client = try server.connectByHTTP2()
            let stream = client.begin(HTTP2Client.request("/cam/index.mp4?duration=1"))
            #expect(await eventually(within: 20) { live.stream.demand.isNeeded })
            live.publishGroup(40)
            let response = try #require(client.response(on: stream))
            #expect(response.hasEnded && MovieBoxes(response.body).fragments.count == 25)
            #expect(
                client.ask("/cam/index.mp4", method: "HEAD")?.hasEnded == true && client.ask("/open")?.status == 200)
        }
    }

    /// A stream whose window is not extended skips to a keyframe, and holds no more than its channel takes.
    @Test func aSlowStreamSkipsAndTheOthersContinue() async throws {
        let live = LiveStream()
        live.publishGroup(1, byteCount: 20_000)
        try await withServer(live) {
            $0.policy.maximumLag = 20_000_000
        } _: { server in
            let client = try server.connectByHTTP2()
            client.extendsWindows = false
            client.send(HTTP2Client.frame(.windowUpdate, HTTP2Client.bytes(1 << 30)))
            let (slow, quick) = (
                client.begin(HTTP2Client.request("/cam/index.mp4")), client.begin(HTTP2Client.request("/cam/index.mp4"))
            )
            client.send(HTTP2Client.frame(.windowUpdate, on: quick, HTTP2Client.bytes(1 << 30)))
            #expect(fragments(client, on: quick, count: 1) != nil)
            for index in 1..<120 {
                live.publish(isKeyframe: index % 10 == 0, byteCount: 20_000)
                #expect(fragments(client, on: quick, count: index + 1) != nil)
            }
            let times = try #require(fragments(client, on: quick, count: 120)).map(\.decodeTime)
            #expect(times == (0..<120).map { $0 * 3_600 }, "no frame is missing")
            let viewers = await server.server.viewers(at: .now())
            #expect(viewers.allSatisfy { $0.unreadByteCount < 65_536 + 25_000 })
            // What waited in the channel comes first, and then a keyframe.
            client.send(HTTP2Client.frame(.windowUpdate, on: slow, HTTP2Client.bytes(1 << 30)))
            let count = MovieBoxes(client.responses[slow]?.body ?? []).fragments.count
            live.publish(isKeyframe: true, byteCount: 20_000)
            let rest = client.wait { client in
                let fragments = MovieBoxes(client.responses[slow]?.body ?? []).fragments
                return fragments.last.map { $0.decodeTime >= 120 * 3_600 } == true ? fragments : nil
            }
            let seen = try #require(rest)
            #expect(seen.count > count && seen.count < 100)
            let gap = zip(seen, seen.dropFirst()).first { $1.decodeTime != $0.decodeTime + 3_600 }
            #expect(gap?.1.isKeyframe == true)
            #expect(await server.server.viewers(at: .now()).count { $0.droppedUnits > 0 } == 1)
        }
    }

    @Test func aStreamThatTakesNothingEndsAlone() async throws {
        let live = LiveStream()
        live.publishGroup(1, byteCount: 20_000)
        try await withServer(live) {
            $0.policy.maximumStall = 300_000_000
        } _: { server in
            let client = try server.connectByHTTP2()
            client.extendsWindows = false
            let slow = client.begin(HTTP2Client.request("/cam/index.mp4"))
            let deadline = ContinuousClock.now + .seconds(10 * Sanitizer.patience)
            while client.responses[slow]?.reset == nil, .now < deadline {
                live.publish(isKeyframe: true, byteCount: 20_000)
                client.receive(within: 0.02)
            }
            #expect(client.responses[slow]?.reset == 8, "CANCEL")
            client.send(HTTP2Client.frame(.windowUpdate, HTTP2Client.bytes(1 << 30)))
            #expect(client.ask("/open")?.text == "hello\n")
        }
    }

    @Test func theFilesOfOneConnectionAreLimited() async throws {
        let live = LiveStream()
        live.publishGroup(1)
        try await withServer(live) {
            $0.connection.maximumViewerCount = 2
        } _: { server in
            let client = try server.connectByHTTP2()
            let streams = (0..<3).map { _ in client.begin(HTTP2Client.request("/cam/index.mp4")) }
            #expect(client.response(on: streams[2])?.status == 503)
            client.send(HTTP2Client.frame(.reset, on: streams[0], HTTP2Client.bytes(8)))
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 1 })
            let next = client.begin(HTTP2Client.request("/cam/index.mp4"))
            #expect(client.wait { $0.responses[next]?.status } == 200)
        }
    }
}

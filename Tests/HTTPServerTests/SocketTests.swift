import Media
import RTSP
import Streams
import TestSupport
import Testing

@testable import HTTPServer

/// WebSockets: the handshake, the messages in both directions, and how they are closed.
struct SocketTests {
    private func withServer(
        _ streams: [LiveStream] = [], _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let services = TestServices()
        for stream in streams { services.streams.withLock { $0[stream.stream.path] = stream.path } }
        try await TestServer.run(services, change, body)
    }

    @Test func aStreamBeginsWithItsInitSegmentAndAKeyframe() async throws {
        let live = LiveStream(hasAudio: true)
        live.publishGroup(30)
        try await withServer([live]) { server in
            let client = try WebSocketClient(server, "/cam/ws?audio=0")
            let hello = try #require(client.next())
            #expect(hello.text.contains("\"type\":\"hello\",\"viewer\":\"v1\""))
            #expect(
                client.message("init")
                    == #"{"contentType":"video/mp4; codecs=\"avc1.42C01E\"","generation":0,"tracks":["video"],"type":"init"}"#
            )
            #expect(client.next().map { MovieBoxes($0.payload).types } == ["ftyp", "moov"])
            let first = try #require(client.next())
            #expect(first.opcode == 2)
            #expect(MovieBoxes(first.payload).fragments == [.init(track: 1, decodeTime: 0, isKeyframe: true)])
        }
    }

    @Test func aSocketWithoutMediaIsGreetedAndAnswersPings() async throws {
        try await withServer { server in
            let client = try WebSocketClient(server, "/api/v1/ws")
            #expect(client.message("hello")?.contains("\"viewer\":null") == true)
            client.send("{\"type\":\"ping\",\"id\":7}")
            #expect(client.message("pong")?.hasPrefix("{\"id\":7,\"time\":1") == true)
            client.socket.socket.send(WebSocketClient.frame([1, 2], opcode: 9))
            #expect(client.next { $0.opcode == 10 }?.payload == [1, 2])
            // A later version of the page may know more.
            client.send("{\"type\":\"something\"}")
            client.send("{\"type\":\"subscribe\",\"topic\":\"something\"}")
            #expect(client.message("error")?.contains("\"about\":\"subscribe\"") == true)
            client.socket.socket.send(WebSocketClient.frame([3, 232], opcode: 8))
            #expect(client.closeCode() == 1000 && client.next() == nil)
        }
    }

    @Test func bytesBehindTheHandshakeAreMessages() async throws {
        try await withServer { server in
            let ping = WebSocketClient.frame(Array("{\"type\":\"ping\",\"id\":1}".utf8))
            let client = try WebSocketClient(server, "/api/v1/ws", early: ping)
            #expect(client.message("pong") != nil)
        }
    }

    @Test func aMessageMayComeInPieces() async throws {
        try await withServer { server in
            let client = try WebSocketClient(server, "/api/v1/ws")
            client.socket.socket.send(WebSocketClient.frame(Array("{\"type\":".utf8), isFinal: false))
            client.socket.socket.send(WebSocketClient.frame(Array("\"ping\",\"id\":2}".utf8), opcode: 0))
            #expect(client.message("pong")?.hasPrefix("{\"id\":2,") == true)
        }
    }

    @Test(arguments: [
        WebSocketClient.frame([1, 2, 3], opcode: 2),
        WebSocketClient.frame(Array("no JSON".utf8)),
        WebSocketClient.frame(Array("[]".utf8)),
        WebSocketClient.frame([UInt8](repeating: 32, count: 4_097)),
        WebSocketClient.frame([UInt8](repeating: 32, count: 3_000), isFinal: false)
            + WebSocketClient.frame([UInt8](repeating: 32, count: 3_000), opcode: 0),
        // Without a mask (RFC 6455, section 5.1).
        [0x81, 2, 0x7B, 0x7D],
        Array((0..<21).map { _ in WebSocketClient.frame(Array("{\"type\":\"x\"}".utf8)) }.joined()),
    ])
    func aClientThatBreaksTheRulesIsDisconnected(bytes: [UInt8]) async throws {
        try await withServer { server in
            let client = try WebSocketClient(server, "/api/v1/ws")
            client.socket.socket.send(bytes)
            #expect(client.closeCode() == 1008)
            #expect(client.next() == nil)
        }
    }

    @Test func whatIsNoHandshakeIsRefused() async throws {
        try await withServer([LiveStream()]) { server in
            let client = try server.connect()
            #expect(client.ask("GET /cam/ws")?.status == 426)
            #expect(client.ask("POST /cam/ws")?.status == 405)
            let malformed = try server.connect()
            malformed.send(
                "GET /cam/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            #expect(malformed.response()?.status == 400)
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 0 })
        }
    }

    @Test(arguments: [("Origin: http://evil.example", 403), ("Sec-Fetch-Site: cross-site", 403), ("Origin: null", 403)])
    func thePageOfAnotherServerCannotOpenASocket(header: String, status: Int) async throws {
        try await withServer([LiveStream()]) { server in
            let client = try server.connect()
            let lines = ["GET /cam/ws HTTP/1.1", "Host: localhost", header] + WebSocketClient.handshake
            client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
            #expect(client.response()?.status == status)
        }
    }

    @Test func theSocketWaitsForASourceAndGetsANewInitSegmentWithEachChange() async throws {
        let live = LiveStream(isAnnounced: false)
        try await withServer([live]) { server in
            let client = try WebSocketClient(server, "/cam/ws")
            #expect(client.message("hello") != nil)
            live.announce()
            live.publishGroup(2)
            #expect(client.message("init")?.contains("\"generation\":0") == true)
            live.announce(size: .large)
            live.publish(isKeyframe: true, size: .large)
            #expect(client.message("init")?.contains("avc1.42C01F") == true)
            #expect(client.next().map { MovieBoxes($0.payload).types } == ["ftyp", "moov"])
            let times = client.next().map { MovieBoxes($0.payload).fragments.map(\.decodeTime) }
            #expect(times == [2 * 3_600])
        }
    }

    @Test func everyEndHasItsCode() async throws {
        let (removed, silent) = (LiveStream("/removed"), LiveStream("/silent"))
        try await withServer([removed, silent]) { server in
            let client = try WebSocketClient(server, "/removed/ws")
            #expect(client.message("init") != nil)
            await server.server.withdraw(removed.stream)
            #expect(client.closeCode() == 4004)
            let unplayable = try WebSocketClient(server, "/silent/ws?video=0")
            #expect(unplayable.closeCode() == 4006)
            let watching = try WebSocketClient(server, "/silent/ws")
            #expect(watching.message("init") != nil)
            silent.publishGroup(1)
            _ = watching.next { $0.opcode == 2 && MovieBoxes($0.payload).fragments.count == 1 }
            let viewers = await server.server.viewers(at: .now())
            #expect(viewers.map(\.transport) == ["WebSocket"])
            #expect(await server.server.disconnect(viewer: viewers.first?.id ?? ""))
            #expect(watching.closeCode() == 4000)
            let last = try WebSocketClient(server, "/api/v1/ws")
            #expect(last.message("hello") != nil)
            await server.server.stop()
            #expect(last.closeCode() == 1001)
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 0 })
        }
    }

    /// A client that does not read is told how many frames it has missed, and goes on with a keyframe.
    @Test func aSlowClientIsToldWhatItMissed() async throws {
        let live = LiveStream()
        live.publishGroup(1)
        try await withServer([live], { $0.policy.maximumLag = 20_000_000 }) { server in
            let client = try WebSocketClient(server, "/cam/ws")
            #expect(client.message("init") != nil)
            // Far more than the buffers of both ends hold, but less than the stream's history, because the client is not told of frames
            // that have left the history before they were skipped.
            for index in 0..<140 { live.publish(isKeyframe: index % 20 == 0, byteCount: 100_000) }
            #expect(
                await eventually(within: 10) {
                    live.publish(isKeyframe: true, byteCount: 1_000)
                    return await server.server.liveStatistics().contains { $0.droppedUnits > 0 }
                })
            var fragments: [MovieBoxes.Fragment] = []
            var drops = 0
            while drops == 0, let frame = client.next() {
                if frame.isText, frame.text.contains("\"type\":\"drop\"") {
                    drops = Int(frame.text.filter(\.isNumber)) ?? 0
                } else if frame.opcode == 2 {
                    fragments += MovieBoxes(frame.payload).fragments
                }
                live.publish(isKeyframe: true, byteCount: 1_000)
            }
            let next = try #require(client.next { $0.opcode == 2 }).payload
            let resumed = try #require(MovieBoxes(next).fragments.first)
            #expect(resumed.isKeyframe)
            let last = try #require(fragments.last)
            #expect(drops == Int(resumed.decodeTime - last.decodeTime) / 3_600 - 1)
        }
    }
}

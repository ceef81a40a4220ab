import Media
import RTSP
import Streams
import TestSupport
import Testing

@testable import HTTPServer

/// The WebSocket with the messages of go2rtc.
struct Go2rtcSocketTests {
    /// What go2rtc's player sends (video-rtc.js), in a browser that decodes H.264, AAC and Opus.
    private static let offer = #"{"type":"mse","value":"avc1.640029,avc1.64002A,mp4a.40.2,mp4a.40.5,flac,opus"}"#

    private func withServer(
        _ streams: [LiveStream], _ body: (TestServer) async throws -> Void
    ) async throws {
        let services = TestServices()
        for stream in streams { services.streams.withLock { $0[stream.stream.path] = stream.path } }
        try await TestServer.run(services, more: Route.go2rtcLive) { try await body($0) }
    }

    private func ask(_ client: WebSocketClient, _ message: String) -> String? {
        client.send(message)
        return client.next(\.isText)?.text
    }

    @Test func theMediaBeginWhenTheClientHasNamedItsCodecs() async throws {
        let live = LiveStream("/yard/cam", hasAudio: true)
        live.publishGroup(3)
        try await withServer([live]) { server in
            for name in ["yard/cam", "/yard/cam", "yard%2Fcam"] {
                let client = try WebSocketClient(server, "/api/ws?src=\(name)")
                #expect(
                    ask(client, Self.offer)
                        == #"{"type":"mse","value":"video/mp4; codecs=\"avc1.42C01E, mp4a.40.2\""}"#)
                #expect(client.next().map { MovieBoxes($0.payload).types } == ["ftyp", "moov"])
                let first = try #require(client.next())
                #expect(first.opcode == 2)
                #expect(MovieBoxes(first.payload).fragments == [.init(track: 1, decodeTime: 0, isKeyframe: true)])
            }
            #expect(await eventually(within: 20) { live.stream.viewerCounts.counts.joined == ["WebSocket": 3] })
        }
    }

    @Test(arguments: [
        ("avc1.640029", "avc1.42C01E"), ("hvc1.1.6.L153.B0,mp4a.40.2", "mp4a.40.2"), ("", "avc1.42C01E, mp4a.40.2"),
        ("avc1.640029,null,mp4a.40.2", "avc1.42C01E"), ("flac, avc1.42E01E", "avc1.42C01E"),
    ])
    func onlyCodecsThatTheClientListsAreSent(list: String, codecs: String) async throws {
        let live = LiveStream(hasAudio: true)
        live.publishGroup(3)
        live.publishAudio()
        try await withServer([live]) { server in
            let client = try WebSocketClient(server, "/api/ws?src=cam")
            let answer = try #require(ask(client, #"{"type":"mse","value":"\#(list)"}"#))
            #expect(answer.contains("codecs=\\\"\(codecs)\\\""), "\(answer)")
        }
    }

    @Test func aClientThatCanDecodeNothingIsToldSo() async throws {
        let live = LiveStream()
        live.publishGroup(3)
        try await withServer([live]) { server in
            let client = try WebSocketClient(server, "/api/ws?src=cam")
            #expect(ask(client, #"{"type":"mse","value":"hvc1.1.6.L153.B0"}"#)?.contains("\"type\":\"error\"") == true)
            #expect(client.closeCode() == 4006)
        }
    }

    @Test func otherMessagesAreAnsweredOrIgnored() async throws {
        let live = LiveStream()
        live.publishGroup(3)
        try await withServer([live]) { server in
            let client = try WebSocketClient(server, "/api/ws?src=cam")
            client.send(#"{"type":"webrtc/candidate","value":"candidate:1 1 udp 1 192.0.2.1 5 typ host"}"#)
            #expect(
                ask(client, #"{"type":"webrtc/offer","value":{"sdp":"v=0"}}"#)
                    == #"{"type":"error","value":"webrtc/offer: this server does not have it"}"#)
            #expect(ask(client, Self.offer)?.contains("\"type\":\"mse\"") == true)
            #expect(ask(client, Self.offer) == #"{"type":"error","value":"mse: the media have begun"}"#)
            client.send("no JSON")
            #expect(client.closeCode() == 1008)
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 0 })
        }
    }

    /// A player makes a buffer for each `mse`, and only one for all media.
    @Test func anotherSizeComesWithoutAMessage() async throws {
        let live = LiveStream()
        live.publishGroup(2)
        try await withServer([live]) { server in
            let client = try WebSocketClient(server, "/api/ws?src=cam")
            _ = ask(client, Self.offer)
            _ = client.next { MovieBoxes($0.payload).types.first == "ftyp" }
            live.announce(size: .large)
            live.publish(isKeyframe: true, size: .large)
            var texts: [String] = []
            let next = client.next { frame in
                if frame.isText { texts.append(frame.text) }
                return MovieBoxes(frame.payload).types.first == "ftyp"
            }
            #expect(next != nil && texts.isEmpty)
            live.announce(hasAudio: true)
            live.publish(isKeyframe: true)
            #expect(client.closeCode() == 1011)
        }
    }

    @Test func theHandshakeNeedsAStream() async throws {
        try await withServer([LiveStream()]) { server in
            func status(_ target: String) throws -> Int? {
                let client = try server.connect()
                client.send(
                    (["GET \(target) HTTP/1.1", "Host: localhost"] + WebSocketClient.handshake).map { $0 + "\r\n" }
                        .joined() + "\r\n")
                return client.response()?.status
            }
            #expect(try status("/api/ws") == 400 && status("/api/ws?src=") == 400)
            #expect(try status("/api/ws?src=none") == 404)
            #expect(try server.connect().ask("GET /api/ws?src=cam")?.status == 426)
            let foreign = try server.connect().ask("GET /api/ws?src=cam", "Origin: https://evil.example")
            #expect(foreign?.status == 403)
        }
    }

    @Test func theEndlessFileIsTheSame() async throws {
        let live = LiveStream()
        live.publishGroup(10)
        try await withServer([live]) { server in
            let client = try server.connect()
            #expect(client.ask("HEAD /api/stream.mp4?src=cam")?.header("Content-Type")?.hasPrefix("video/mp4") == true)
            client.send("GET /api/stream.mp4?src=cam HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(client.response(hasBody: false)?.status == 200)
            #expect(MovieBoxes(dechunked(client.bytes(atLeast: 1_500))).types.prefix(2) == ["ftyp", "moov"])
            #expect(try server.connect().ask("GET /api/stream.mp4")?.status == 400)
            #expect(try server.connect().ask("GET /api/stream.mp4?src=none")?.status == 404)
        }
    }
}

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Viewers that get MPEG-TS over SAT>IP, such as Debian's VLC, of a camera with G.711.
    @Suite(.serialized, .sharesMachine)
    struct ViewerTranscoding {
        /// Records what a SAT>IP client receives: a raw RTSP session, and ffmpeg at its port.
        private func record(_ server: ServerProcess, seconds: Int) async throws -> FlashAndTone.Recording {
            let folder = try TemporaryFolder()
            let port = try LoopbackSocket.freePort() & ~1
            try folder.write(
                "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=t\nc=IN IP4 127.0.0.1\nt=0 0\nm=video \(port) RTP/AVP 33\n",
                to: "t.sdp")
            async let recording = FlashAndTone.record(
                ["-protocol_whitelist", "file,udp,rtp", "-i", folder.file("t.sdp")], seconds: seconds)
            #expect(await eventually(within: 10) { isBound(port) })
            let client = try RTSPSocket(port: server.port)
            let answer = try client.request(
                "SETUP", server.url(), ["Transport": "RTP/AVP;unicast;client_port=\(port)-\(port + 1)"])
            #expect(answer.status == 200, "\(answer.head)")
            let session = answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
            let stream = "rtsp://127.0.0.1:\(server.port)/stream=\(answer.header("com.ses.streamID") ?? "")"
            #expect(try client.request("PLAY", stream, ["Session": session]).status == 200)
            let result = try await recording
            #expect(try client.request("TEARDOWN", stream, ["Session": session]).status == 200)
            return result
        }

        /// Whether a program receives at this UDP port: the kernel's table has the port in hexadecimal.
        private func isBound(_ port: Int) -> Bool {
            let table = try? String(contentsOfFile: "/proc/net/udp", encoding: .utf8)
            return table?.contains(":" + String(format: "%04X", port) + " ") == true
        }

        /// Runs `body` with a server to which video and A-law are published.
        private func withCamera(_ settings: String, _ body: (ServerProcess) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                "access: { loopback: publish }\npaths: { cam: { source: publish\(settings) } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                let publisher = try Command(
                    ["ffmpeg", "-nostdin", "-v", "error"] + FlashAndTone.input(sampleRate: 8_000, channelCount: 1)
                        + ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "25"]
                        + ["-c:a", "pcm_alaw", "-rtsp_transport", "tcp", "-f", "rtsp", server.url()], in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(try await server.isServing())
                try await body(server)
            }
        }

        /// Two viewers share one encoder, which ends after the last one; a viewer of RTP gets G.711 meanwhile.
        @Test func viewersOfTransportStreamsHearG711AsAAC() async throws {
            try await withCamera("") { server in
                async let first = record(server, seconds: 6)
                async let second = record(server, seconds: 6)
                async let other = FlashAndTone.record(["-rtsp_transport", "tcp", "-i", server.url()], seconds: 6)
                let original = try await other
                #expect(original.codecs == ["h264", "pcm_alaw"])
                for recording in [try await first, try await second] {
                    #expect(recording.codecs == ["h264", "aac"])
                    #expect(abs(recording.seconds - 6) < 0.3, "\(recording)")
                    #expect(recording.offsets.count >= 3, "\(recording)")
                    // ffmpeg's sender reports are some 20 ms off, for both kinds of viewers.
                    let difference = recording.meanOffset - original.meanOffset
                    #expect(abs(difference) < 0.01, "\(recording) and \(original)")
                }
                #expect(await server.logs("audio is no longer encoded", within: 10))
                #expect(server.log.ranges(of: "(PCMA) is encoded as AAC").count == 1, "\(server.log)")
            }
        }

        @Test func withoutTranscodingTheTrackIsLeftOutAndLogged() async throws {
            try await withCamera(", transcode: no") { server in
                for _ in 0..<2 {
                    let recording = try await record(server, seconds: 3)
                    #expect(recording.codecs == ["h264"])
                }
                #expect(server.log.ranges(of: "track 2 (PCMA) is left out").count == 1, "\(server.log)")
            }
        }
    }
}

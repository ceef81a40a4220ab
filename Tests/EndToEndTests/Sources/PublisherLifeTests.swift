import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// How real publishers live and end: without keepalives, killed, with and without a goodbye, with wrong passwords.
    @Suite(.serialized, .sharesMachineForLong)
    struct PublisherLives {
        private static let configuration = """
            access: { loopback: publish }
            server: { sessionTimeoutSeconds: 5 }
            limits: { idleConnectionSeconds: 5 }
            paths: { yard: { source: publish } }

            """

        private func withYard(
            _ configuration: String = Self.configuration, _ body: (ServerProcess) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            try folder.write(configuration, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { try await body($0) }
        }

        private func ffmpeg(_ file: String, to url: String, over transport: String) -> [String] {
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy"]
                + ["-rtsp_transport", transport, "-f", "rtsp", url]
        }

        /// GStreamer publishes a picture without an end; `-e` makes it say goodbye after SIGINT.
        private func gstreamer(to url: String, over transport: String, _ options: [String] = []) -> [String] {
            ["gst-launch-1.0", "-q"] + options + [
                "videotestsrc", "is-live=true", "!", "video/x-raw,width=320,height=180,framerate=25/1", "!",
                "openh264enc", "gop-size=25", "!", "h264parse", "!", "rtspclientsink", "location=\(url)",
                "protocols=\(transport)",
            ]
        }

        /// ffmpeg sends no request while it publishes over UDP: four timeouts pass without one. When it is killed, the path is off air
        /// within ten seconds, and the viewer stays and goes on with the next publisher.
        @Test func aPublisherOverUDPNeedsNoKeepalives() async throws {
            let file = try await Clip.plain.path()
            try await withYard { server in
                let url = server.url("yard")
                let first = try Command(ffmpeg(file, to: url, over: "udp"), in: "/")
                defer { first.signal(SIGKILL) }
                try #require(try await server.isServing("yard"))
                let viewer = try RTSPSocket(port: server.port)
                #expect(try viewer.play(url, tracks: 1).answer.status == 200)
                let end = ContinuousClock.now + .seconds(21)
                var silences = 0
                while ContinuousClock.now < end { if viewer.frame(within: 2) == nil { silences += 1 } }
                #expect(silences == 0 && !server.log.contains("publisher left"))
                first.signal(SIGKILL)
                let killed = ContinuousClock.now
                #expect(await server.logs("publisher left", within: 15))
                #expect(ContinuousClock.now - killed < .seconds(12))
                while viewer.frame(within: 0.5) != nil {}
                let second = try Command(ffmpeg(file, to: url, over: "udp"), in: "/")
                defer { second.signal(SIGKILL) }
                // Sender reports come meanwhile; media has a payload type.
                var frame = viewer.frame(within: 10)
                while let seen = frame, seen.channel != 0 { frame = viewer.frame(within: 10) }
                #expect(frame != nil && !viewer.isClosed)
                // The log has a thread of its own, which may be later than a frame.
                #expect(await eventually(within: 5) { server.log.ranges(of: "publisher joined").count == 2 })
            }
        }

        /// With a goodbye (`-e`) the path is off air 2 s later, also if GStreamer stays connected, and without one at once.
        @Test(arguments: ["tcp", "udp"], [["-e"], []])
        func gstreamerEnds(transport: String, options: [String]) async throws {
            try await withYard { server in
                let publisher = try Command(gstreamer(to: server.url("yard"), over: transport, options), in: "/")
                defer { publisher.signal(SIGKILL) }
                try #require(try await server.isServing("yard"))
                publisher.signal(SIGINT)
                let interrupted = ContinuousClock.now
                #expect(await server.logs("publisher left", within: 8))
                // On an idle machine 1.3 s with the goodbye and 0.1 s without it.
                #expect(ContinuousClock.now - interrupted < .seconds(4))
            }
        }

        /// GStreamer repeats a wrong password eight times on each of two connections. That is not counted as sixteen guesses. The second
        /// publisher learns who publishes, and the first one is not disturbed.
        @Test func wrongPasswordsLockNobodyOut() async throws {
            let file = try await Clip.plain.path()
            let configuration = """
                users:
                  ann: { password: sesame, publish: ["*"] }
                  bob: { password: sesame, publish: ["*"] }
                paths: { yard: { source: publish } }

                """
            try await withYard(configuration) { server in
                func url(_ login: String) -> String { "rtsp://\(login)@127.0.0.1:\(server.port)/yard" }
                for _ in 0..<2 {
                    let outcome = try await Command.run(gstreamer(to: url("ann:wrong"), over: "tcp"), within: 20)
                    #expect(outcome.status != 0)
                }
                let first = try Command(ffmpeg(file, to: url("ann:sesame"), over: "tcp"), in: "/")
                defer { first.signal(SIGKILL) }
                #expect(await server.logs("publisher joined"), "\(server.log)")
                for command in [
                    ffmpeg(file, to: url("bob:sesame"), over: "udp"), gstreamer(to: url("bob:sesame"), over: "udp"),
                ] {
                    let outcome = try await Command.run(command, within: 20)
                    #expect(outcome.status != 0 && outcome.diagnostics.contains("403"), "\(outcome.diagnostics)")
                }
                #expect(await server.logs("reason=Published by 127.0.0.1", #"reason="Published by 127.0.0.1""#))
                #expect(!server.log.contains("publisher left"))
            }
        }

        /// A file with B-frames at half its speed, and ffmpeg's seven units of AAC in a packet.
        @Test func slowMediaWithBFramesIsNotCapturedAfterItsArrival() async throws {
            let file = try await Clip.bFrames.path()
            try await withYard { server in
                let url = server.url("yard")
                let publisher = try Command(
                    [
                        "ffmpeg", "-nostdin", "-v", "error", "-readrate", "0.5", "-stream_loop", "-1", "-i", file, "-c",
                        "copy",
                    ]
                        + ["-rtsp_transport", "tcp", "-f", "rtsp", url], in: "/")
                defer { publisher.signal(SIGKILL) }
                try #require(try await server.isServing("yard"))
                let (outcome, report) = try await Measure.report(url, ["--seconds", "14", "--transport", "tcp"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let measured = try #require(report)
                #expect(measured.captureTimes.unknown < measured.frames.received)
                #expect(measured.latency.captureToArrival.map { $0.p50 >= 0 } == true)
            }
        }

        /// ffmpeg copies B-frames, which it sends before their presentation times, and puts seven units of AAC in a packet. Flashes and
        /// tones stay together.
        @Test func audioStaysInSyncWithCopiedBFrames() async throws {
            let folder = try TemporaryFolder()
            let file = folder.file("flashes.mp4")
            let input = FlashAndTone.input().filter { $0 != "-re" }
            let made = try await Command.run(
                ["ffmpeg", "-nostdin", "-v", "error"] + input + ["-t", "20", "-c:v", "libx264", "-preset", "fast"]
                    + ["-pix_fmt", "yuv420p", "-bf", "3", "-g", "50", "-c:a", "aac", file], within: 40)
            #expect(made.status == 0, "\(made.diagnostics)")
            try await withYard { server in
                let publisher = try Command(
                    ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", file, "-c", "copy"]
                        + ["-rtsp_transport", "tcp", "-f", "rtsp", server.url("yard")], in: "/")
                defer { publisher.signal(SIGKILL) }
                try #require(try await server.isServing("yard"))
                let viewing = Array(Client.ffmpeg(server.url("yard"), over: "tcp").dropFirst(4))
                let recording = try await FlashAndTone.watch(viewing, seconds: 12)
                // The first flashes may be those of the fast start, which has other times. The last one may have no tone any more.
                let offsets = recording.flashes.dropFirst(3).compactMap { flash in
                    recording.tones.map { $0 - flash }.filter { abs($0) < 0.5 }.min { abs($0) < abs($1) }
                }
                #expect(offsets.count >= 5 && offsets.allSatisfy { abs($0) < 0.04 }, "\(offsets)")
            }
        }
    }
}

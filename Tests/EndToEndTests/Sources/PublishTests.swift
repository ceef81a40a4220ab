import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Clients that publish to the server: ffmpeg and GStreamer.
    @Suite(.serialized, .sharesMachineForLong)
    struct Published {
        private static let paths = """
            paths:
              tcp: { source: publish }
              udp: { source: publish }
              tls: { source: publish }
            """

        /// Runs `body` with a server that has three paths for publishers.
        private func withPublishing(
            _ settings: String = "access: { loopback: publish }", _ arguments: [String] = [],
            _ body: (ServerProcess) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            try folder.write("\(settings)\n\(Self.paths)\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { try await body($0) }
        }

        /// ffmpeg publishes a file again and again, with its timestamps.
        private func ffmpeg(_ file: String, to url: String, over transport: String, _ options: [String] = [])
            -> [String]
        {
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy"] + options
                + ["-rtsp_transport", transport, "-f", "rtsp", url]
        }

        /// GStreamer publishes a file once: the audio in LATM, as it does by default.
        private func gstreamer(_ file: String, to url: String, over transport: String) -> [String] {
            [
                "gst-launch-1.0", "-q", "rtspclientsink", "name=sink", "location=\(url)", "protocols=\(transport)",
                "filesrc", "location=\(file)", "!", "qtdemux", "name=demux",
                "demux.video_0", "!", "queue", "!", "h264parse", "!", "sink.",
                "demux.audio_0", "!", "queue", "!", "aacparse", "!", "sink.",
            ]
        }

        /// Also with a query and a slash at the end, which change the URLs of the tracks.
        @Test(arguments: [Clip.plain, .bFrames]) func whatFFmpegPublishesIsUnchanged(_ clip: Clip) async throws {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file)
            try await withPublishing { server in
                try await concurrently(["tcp", "udp"]) { path in
                    let url = server.url(path) + (path == "tcp" ? "?token=a" : "/")
                    let publisher = try Command(ffmpeg(file, to: url, over: path), in: "/")
                    defer { publisher.signal(SIGTERM) }
                    #expect(await server.logs("publisher joined client=Lavf59.27.100 path=/\(path)"))
                    try await original.expectCopy(at: server.url(path))
                }
                for path in ["tcp", "udp"] {
                    let log = server.log
                    #expect(log.contains("transport=\(path.uppercased())"))
                }
            }
        }

        @Test func whatGStreamerPublishesIsWatched() async throws {
            let file = try await Clip.plain.path()
            try await withPublishing { server in
                try await concurrently(["tcp", "udp"]) { path in
                    let publisher = try Command(gstreamer(file, to: server.url(path), over: path), in: "/")
                    defer { publisher.signal(SIGINT) }
                    #expect(await server.logs("publisher joined"))
                    try await Client.ffmpeg.watch(server.url(path), over: "tcp", log: server.log)
                }
            }
        }

        /// A viewer stays while its publisher is killed and another one comes.
        @Test func viewersStayWhilePublishersComeAndGo() async throws {
            let file = try await Clip.plain.path()
            try await withPublishing { server in
                let first = try Command(ffmpeg(file, to: server.url("tcp"), over: "tcp"), in: "/")
                #expect(try await server.isServing("tcp"))
                async let watching = Command.run(
                    Client.ffmpeg(server.url("tcp"), over: "tcp") + [
                        "-map", "0", "-c", "copy", "-t", "10", "-f", "null", "-",
                    ], within: 40)
                #expect(await server.logs("info     joined"))
                first.signal(SIGKILL)
                #expect(await server.logs("publisher left"))
                let second = try Command(ffmpeg(file, to: server.url("tcp"), over: "udp"), in: "/")
                #expect(await server.logs("transport=UDP"))
                // The same host takes over from itself, because there are no users.
                let third = try Command(ffmpeg(file, to: server.url("tcp"), over: "tcp"), in: "/")
                defer { for publisher in [second, third] { publisher.signal(SIGTERM) } }
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
                #expect(server.log.contains("has taken over the stream"))
                #expect(server.log.ranges(of: "info     joined").count == 1)
            }
        }

        /// A publisher over UDP that is killed leaves only its silence.
        @Test func aSilentPublisherIsDisconnected() async throws {
            let file = try await Clip.plain.path()
            try await withPublishing { server in
                let publisher = try Command(ffmpeg(file, to: server.url("udp"), over: "udp"), in: "/")
                defer { publisher.signal(SIGKILL) }
                #expect(try await server.isServing("udp"))
                publisher.signal(SIGSTOP)
                #expect(await server.logs("no media has come for 10 s", within: 15))
            }
        }

        /// A path under a pattern is created by its first publisher, and removed after its last viewer has left.
        @Test func pathsOfAPatternComeAndGo() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            try folder.write(
                """
                access: { loopback: publish }
                paths:
                  "live/*": { source: publish, publish: { maximumPathsPerUser: 2 } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                let viewer = try RTSPSocket(port: server.port)
                #expect(try viewer.request("DESCRIBE", server.url("live/a")).status == 404)
                let first = try Command(ffmpeg(file, to: server.url("live/a"), over: "tcp"), in: "/")
                let second = try Command(ffmpeg(file, to: server.url("live/b/c"), over: "udp"), in: "/")
                defer { second.signal(SIGTERM) }
                for path in ["live/a", "live/b/c"] { #expect(try await server.isServing(path)) }
                for (path, reason) in [
                    ("live/d", "has too many paths of live/*"), ("live/whep", "no reserved name"),
                    ("live/a%20b", "a path has up to 8 parts"), ("other", "404 Not Found"),
                ] {
                    let outcome = try await Command.run(ffmpeg(file, to: server.url(path), over: "tcp"), within: 20)
                    #expect(outcome.errors.contains(reason), "\(path): \(outcome.diagnostics)")
                }
                let (session, answer) = try viewer.play(server.url("live/a"))
                #expect(answer.status == 200)
                first.signal(SIGKILL)
                #expect(await server.logs("publisher left"))
                let other = try RTSPSocket(port: server.port)
                #expect(try other.request("DESCRIBE", server.url("live/a")).status == 200, "it still has a viewer")
                viewer.send(viewer.text(of: "TEARDOWN", server.url("live/a"), ["Session": session]))
                #expect(
                    try await eventually(within: 5) {
                        try other.request("DESCRIBE", server.url("live/a")).status == 404
                    })
                #expect(try other.request("DESCRIBE", server.url("live/b/c")).status == 200)
            }
        }

        /// Viewers wait for a publisher, and keep what they were announced: audio in another format is refused, and none is silent.
        @Test func aPublisherMustFitTheAnnouncedTracks() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            try folder.write(
                """
                access: { loopback: publish }
                paths:
                  yard: { source: publish, absent: { show: slate, afterSeconds: 1, tracks: [h264 320x180, opus stereo] } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isServing("yard"))
                let url = server.url("yard")
                let refused = try await Command.run(ffmpeg(file, to: url, over: "tcp"), within: 20)
                #expect(refused.errors.contains("4XX Client Error"), "\(refused.diagnostics)")
                #expect(await server.logs("Viewers were promised Opus stereo, not AAC"))
                async let watching = Command.run(
                    Client.ffmpeg(url, over: "tcp") + ["-map", "0", "-c", "copy", "-t", "8", "-f", "framecrc", "-"],
                    within: 40)
                #expect(await server.logs("info     joined"))
                let publisher = try Command(ffmpeg(file, to: url, over: "tcp", ["-an"]), in: "/")
                defer { publisher.signal(SIGKILL) }
                #expect(await server.logs("publisher joined"))
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
                let lines = outcome.text.split(separator: "\n")
                // The slate would give 40 frames of video, and the silence 400 units of audio.
                #expect(lines.count { $0.hasPrefix("0,") } > 80 && lines.count { $0.hasPrefix("1,") } > 300)
            }
        }

        /// The reason of a refusal reaches the user of the publisher.
        @Test func refusalsNameTheirReason() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            try folder.write(
                """
                users:
                  ann: { password: sesame, publish: ["*"] }
                  bob: { password: sesame, publish: ["*"] }
                  eve: { password: sesame }
                paths:
                  yard: { source: publish }
                  card: { source: testcard }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                func url(_ user: String, _ path: String) -> String {
                    "rtsp://\(user)127.0.0.1:\(server.port)/\(path)"
                }
                let publisher = try Command(ffmpeg(file, to: url("ann:sesame@", "yard"), over: "tcp"), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(await server.logs("publisher joined"))
                for (user, path, reason) in [
                    ("bob:sesame@", "yard", "403 Published by 127.0.0.1"), ("", "yard", "401 Unauthorized"),
                    ("bob:wrong@", "yard", "401 Unauthorized"), ("eve:sesame@", "yard", "401 Unauthorized"),
                    ("bob:sesame@", "card", "403 Forbidden: /card has a source of its own"),
                    ("bob:sesame@", "yrad", "404 Not Found"),
                ] {
                    let outcome = try await Command.run(ffmpeg(file, to: url(user, path), over: "tcp"), within: 20)
                    #expect(outcome.status != 0)
                    #expect(outcome.errors.contains(reason), "\(user) \(path): \(outcome.diagnostics)")
                }
                let outcome = try await Command.run(
                    ffmpeg(file, to: url("bob:sesame@", "yard"), over: "tcp", ["-c:v", "mpeg4"]), within: 20)
                #expect(outcome.errors.contains("4XX Client Error"), "\(outcome.diagnostics)")
                #expect(await server.logs("MP4V-ES is not supported"))
                #expect(server.log.ranges(of: "publisher left").isEmpty, "the first publisher is not disturbed")
            }
        }
    }
}

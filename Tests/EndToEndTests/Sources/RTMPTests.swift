import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Clients that publish and play over RTMP: ffmpeg, GStreamer, mpv and VLC.
    @Suite(.serialized, .sharesMachineForLong)
    struct RTMP {
        private func withYard(
            _ settings: String = "access: { loopback: publish }", _ body: (ServerProcess) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                "\(settings)\npaths: { yard: { source: publish }, \"live/*\": { source: publish } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasRTMP: true) { try await body($0) }
        }

        /// ffmpeg publishes a file again and again, with its timestamps.
        private func ffmpeg(_ file: String, to url: String, _ options: [String] = []) -> [String] {
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy"] + options
                + ["-f", "flv", url]
        }

        private func gstreamer(_ file: String, to url: String) -> [String] {
            [
                "gst-launch-1.0", "-q", "flvmux", "name=mux", "streamable=true", "!", "rtmp2sink", "location=\(url)",
                "filesrc", "location=\(file)", "!", "qtdemux", "name=demux",
                "demux.video_0", "!", "queue", "!", "h264parse", "!", "identity", "sync=true", "!", "mux.",
                "demux.audio_0", "!", "queue", "!", "aacparse", "!", "mux.",
            ]
        }

        @Test(arguments: [Clip.plain, .bFrames]) func whatFFmpegPublishesIsUnchangedOverRTSP(_ clip: Clip) async throws
        {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file)
            try await withYard { server in
                let publisher = try Command(ffmpeg(file, to: server.rtmpURL("yard")), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(await server.logs("publisher joined"), "\(server.log)")
                #expect(try await server.isServing("yard"))
                try await original.expectCopy(at: server.url("yard"))
                #expect(server.log.contains("transport=RTMP"))
            }
        }

        /// The configuration has no title for the path.
        @Test func theTitleOfAPublisherIsThatOfTheStream() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            try folder.write(
                "access: { loopback: publish }\npaths: { yard: { source: publish } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true, hasRTMP: true) { server in
                let publisher = try Command(
                    ffmpeg(file, to: server.rtmpURL("yard"), ["-metadata", "title=Garden gate"]), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(try await server.isServing("yard"))
                let streams = try await Command.run([
                    "curl", "-sS", "http://127.0.0.1:\(server.httpPort)/api/v1/streams",
                ])
                #expect(streams.text.contains(#""title":"Garden gate""#), "\(streams.diagnostics) \(streams.text)")
                let description = try await Command.run(
                    [
                        "ffprobe", "-v", "error", "-show_entries", "format_tags=title", "-of", "csv=p=0",
                        server.url("yard"),
                    ])
                #expect(description.text.contains("Garden gate"), "\(description.diagnostics)")
            }
        }

        @Test func whatGStreamerPublishesIsUnchangedOverRTSP() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            try await withYard { server in
                let publisher = try Command(gstreamer(file, to: server.rtmpURL("live/garden")), in: "/")
                defer { publisher.signal(SIGKILL) }
                #expect(await server.logs("publisher joined"), "\(publisher.errors) \(server.log)")
                #expect(try await server.isServing("live/garden"))
                let copied = try await Command.run(
                    Client.ffmpeg(server.url("live/garden"), over: "tcp")
                        + ["-map", "0:v", "-c", "copy", "-t", "2", "-f", "h264", "-"], within: 30)
                #expect(copied.status == 0, "\(copied.diagnostics)")
                try original.expectVideo(h264: copied.output)
            }
        }

        /// RTMPS with the certificate of rtsps://, published by ffmpeg and played by ffmpeg.
        @Test func rtmpsPublishesAndPlays() async throws {
            let folder = try await TemporaryFolder.withCertificate()
            let (port, tlsPort) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            try folder.write(
                """
                tls: { encryption: optional, port: \(port), \(folder.certificateOptions) }
                rtmp: { tlsPort: \(tlsPort) }
                access: { loopback: publish }
                paths: { yard: { source: publish } }
                """, to: "apus.yml")
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            try await withServer("--config", folder.file("apus.yml"), hasRTMP: true) { server in
                let url = "rtmps://127.0.0.1:\(tlsPort)/yard"
                let publisher = try Command(ffmpeg(file, to: url), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(await server.logs("transport=RTMPS"), "\(publisher.errors) \(server.log)")
                #expect(try await server.isServing("yard"))
                let copied = try await Command.run(
                    ["ffmpeg", "-nostdin", "-v", "error", "-i", url, "-map", "0:v", "-c", "copy", "-t", "3"]
                        + ["-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"], within: 30)
                #expect(copied.status == 0, "\(copied.diagnostics)")
                try original.expectVideo(h264: copied.output)
            }
        }

        private static let players: [(name: String, arguments: @Sendable (String) -> [String])] = [
            (
                "ffmpeg",
                {
                    ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", $0, "-map", "0:v:0", "-map", "0:a:0"]
                        + ["-frames:v", "60", "-frames:a", "80", "-f", "null", "-"]
                }
            ),
            ("mpv", { ["mpv", "--no-config", "--vo=null", "--ao=null", "--frames=60", $0] }),
            (
                "gstreamer",
                {
                    [
                        // rtmp2src wants two parts; the second may be empty.
                        "gst-launch-1.0", "-q", "rtmp2src", "location=\($0)/", "!", "flvdemux", "name=demux",
                        "demux.video", "!", "queue", "!", "h264parse", "!", "avdec_h264", "!", "identity",
                        "eos-after=60", "!", "fakesink",
                        "demux.audio", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "identity",
                        "eos-after=60", "!", "fakesink",
                    ]
                }
            ),
        ]

        /// A source of its own and a publisher's stream, in all players.
        @Test func playersPlayEveryPath() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: { source: \(file) } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasRTMP: true) { server in
                #expect(try await server.isServing("cam"))
                for player in Self.players {
                    let outcome = try await Command.run(player.arguments(server.rtmpURL("cam")), within: 40)
                    #expect(outcome.status == 0, "\(player.name): \(outcome.diagnostics) \(server.log.suffix(1_000))")
                }
                let copied = try await Command.run(
                    ["ffmpeg", "-nostdin", "-v", "error", "-i", server.rtmpURL("cam"), "-map", "0:v", "-c", "copy"]
                        + ["-t", "3", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"], within: 30)
                try await CopiedMedia(of: file).expectVideo(h264: copied.output)
            }
        }

        @Test(.enabled(if: VLC.isInstalled, "needs VLC")) func vlcPlays() async throws {
            try await withServer("testcard", hasRTMP: true) { server in
                #expect(try await server.isServing())
                let vlc = try VLC(playing: server.rtmpURL())
                let statistics = try await vlc.statistics(within: 30) { $0.displayedFrames >= 60 }
                #expect(statistics != nil, "\(vlc.log.suffix(20).joined(separator: "\n"))")
                _ = try await vlc.quit()
            }
        }

        /// A viewer over RTSP stays while its publisher over RTMP is killed and comes back.
        @Test func viewersStayWhilePublishersComeAndGo() async throws {
            let file = try await Clip.plain.path()
            try await withYard { server in
                let first = try Command(ffmpeg(file, to: server.rtmpURL("yard")), in: "/")
                #expect(try await server.isServing("yard"))
                async let watching = Command.run(
                    Client.ffmpeg(server.url("yard"), over: "tcp") + [
                        "-map", "0", "-c", "copy", "-t", "10", "-f", "null", "-",
                    ], within: 40)
                #expect(await server.logs("info     joined"))
                first.signal(SIGKILL)
                #expect(await server.logs("publisher left"))
                let second = try Command(ffmpeg(file, to: server.rtmpURL("yard")), in: "/")
                defer { second.signal(SIGTERM) }
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
                #expect(server.log.ranges(of: "info     joined").count == 1)
                #expect(server.log.ranges(of: "publisher joined").count == 2)
            }
        }

        /// Users by the query and by ffmpeg's answer to the challenge; the reasons of refusals are in the log.
        @Test func usersPublishAndPlay() async throws {
            let file = try await Clip.plain.path()
            let users = """
                users:
                  ann: { password: sesame, publish: ["*"] }
                  eve: { password: apple }
                """
            try await withYard(users) { server in
                func url(_ login: String, _ query: String = "", _ path: String = "yard") -> String {
                    "rtmp://\(login)127.0.0.1:\(server.rtmpPort)/\(path)\(query)"
                }
                for (address, reason) in [
                    (url(""), "client asked for a user and a password"),
                    (url("", "", "live/a"), "the client sent no user and password"),
                    (url("", "?user=ann&pass=no"), "wrong password of user ann"),
                    (url("ann:no@"), "wrong password of user ann"),
                    (url("", "?user=eve&pass=apple"), "user eve has no permission for this"),
                    (url("", "?user=ann&pass=sesame", "yrad"), "there is no path /yrad"),
                ] {
                    let outcome = try await Command.run(ffmpeg(file, to: address), within: 20)
                    #expect(outcome.status != 0, "\(address)")
                    #expect(await server.logs(reason), "\(address): \(outcome.diagnostics) \(server.log)")
                }
                for address in [
                    url("ann:sesame@"), url("", "?user=ann&pass=sesame"), url("", "?user=ann&pass=sesame", "live/a"),
                ] {
                    let publisher = try Command(ffmpeg(file, to: address), in: "/")
                    defer { publisher.signal(SIGKILL) }
                    let path = address.contains("live/a") ? "live/a" : "yard"
                    #expect(
                        await eventually(within: 5) { server.joinedPublisher(of: path) },
                        "a path of a pattern exists only now")
                    let playing = try await Command.run(
                        [
                            "ffmpeg", "-nostdin", "-v", "error", "-i",
                            url("eve:apple@", "", path == "yard" ? path : path + "?user=eve&pass=apple"),
                        ]
                            + ["-frames:v", "20", "-f", "null", "-"], within: 30)
                    #expect(playing.status == 0, "\(address): \(playing.diagnostics) \(server.log.suffix(1_500))")
                }
            }
        }

        /// The notice has what users paste into OBS.
        @Test func theNoticeHasWhatToPaste() async throws {
            try await withYard { server in
                let notice = server.notice
                #expect(notice.contains("TCP port \(server.rtmpPort) (RTMP)"), "\(notice)")
                #expect(notice.contains("OBS        Server rtmp://"), "\(notice)")
                #expect(notice.contains(":\(server.rtmpPort)/live  Stream Key NAME"), "\(notice)")
            }
        }
    }
}

extension ServerProcess {
    /// Whether a publisher has begun to publish to the path.
    fileprivate func joinedPublisher(of path: String) -> Bool {
        log.split(separator: "\n").contains { $0.contains("publisher joined") && $0.contains("path=/\(path) ") }
    }
}

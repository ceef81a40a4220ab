import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Clients that publish and play over SRT: ffmpeg, GStreamer, srt-live-transmit, mpv and VLC.
    @Suite(.serialized, .sharesMachineForLong)
    struct SRT {
        private static let passphrase = "a long secret"

        /// Serves `yard` and more to publishers, with a latency that a busy machine needs, and `safe` with a passphrase.
        private func withYard(
            _ settings: String = "access: { loopback: publish }",
            _ body: (SRTAddress, ServerProcess) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                \(settings)
                paths:
                  yard: { source: publish, srt: { latencyMilliseconds: 1000 } }
                  "live/*": { source: publish, srt: { latencyMilliseconds: 1000 } }
                  safe: { source: publish, srt: { passphrase: "\(Self.passphrase)", keyLength: aes256 } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasSRT: true) { server in
                try await body(SRTAddress(port: server.srtPort), server)
            }
        }

        /// ffmpeg publishes a file again and again.
        private func ffmpeg(_ file: String, to url: String) -> [String] {
            [
                "ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy", "-f",
                "mpegts", url,
            ]
        }

        @Test(arguments: [Clip.plain, .bFrames]) func whatFFmpegPublishesIsUnchangedOverRTSP(_ clip: Clip) async throws
        {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file)
            try await withYard { srt, server in
                let publisher = try Command(ffmpeg(file, to: srt.url("publish:yard", "&pkt_size=1316")), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(await server.logs("publisher joined"), "\(publisher.errors) \(server.log)")
                #expect(try await server.isServing("yard"))
                try await original.expectCopy(at: server.url("yard"))
                #expect(server.log.contains("transport=SRT"))
            }
        }

        @Test func whatGStreamerPublishesIsUnchangedOverRTSP() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            try await withYard { srt, server in
                let publisher = try Command(
                    [
                        "gst-launch-1.0", "-q", "mpegtsmux", "name=mux", "alignment=7", "!", "srtsink",
                        "uri=\(srt.url("publish:live/garden"))", "wait-for-connection=false",
                        "filesrc", "location=\(file)", "!", "qtdemux", "name=demux",
                        "demux.video_0", "!", "queue", "!", "h264parse", "config-interval=-1", "!", "mux.",
                        "demux.audio_0", "!", "queue", "!", "aacparse", "!", "mux.",
                    ], in: "/")
                defer { publisher.signal(SIGKILL) }
                #expect(await server.logs("publisher joined"), "\(publisher.errors) \(server.log)")
                #expect(try await server.isServing("live/garden"))
                try await original.expectCopy(at: server.url("live/garden"), seconds: 3)
            }
        }

        /// What srt-live-transmit takes from a path, it publishes to another one.
        @Test func srtLiveTransmitMovesAStreamUnchanged() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            try await withYard { srt, server in
                let publisher = try Command(ffmpeg(file, to: srt.url("publish:yard", "&pkt_size=1316")), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(try await server.isServing("yard"))
                let relay = try Command(
                    ["srt-live-transmit", "-q", srt.url("read:yard"), srt.url("publish:live/copy")], in: "/")
                defer { relay.signal(SIGKILL) }
                #expect(try await server.isServing("live/copy"), "\(relay.errors) \(server.log)")
                try await original.expectCopy(at: server.url("live/copy"), seconds: 3)
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
                        "gst-launch-1.0", "-q", "srtsrc", "uri=\($0)", "!", "tsdemux", "!", "h264parse", "!",
                        "avdec_h264", "!", "identity", "eos-after=60", "!", "fakesink",
                    ]
                }
            ),
        ]

        /// With a passphrase, from a publisher with the same one.
        @Test func playersPlayEncryptedStreams() async throws {
            let file = try await Clip.plain.path()
            try await withYard { srt, server in
                let secret = "&passphrase=\(Self.passphrase.replacing(" ", with: "%20"))"
                let publisher = try Command(
                    ffmpeg(file, to: srt.url("publish:safe", "&pkt_size=1316&pbkeylen=16\(Self.ffmpegPassphrase)")),
                    in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(try await server.isServing("safe"), "\(publisher.errors) \(server.log)")
                for player in Self.players {
                    let own = player.name == "gstreamer" ? secret : Self.ffmpegPassphrase
                    let outcome = try await Command.run(player.arguments(srt.url("read:safe", own)), within: 40)
                    #expect(outcome.status == 0, "\(player.name): \(outcome.diagnostics) \(server.log.suffix(1_000))")
                }
                #expect(server.log.contains("SRT, encrypted"), "\(server.log)")
            }
        }

        /// libavformat counts the frames of a fast start as if they were live, so it must find the audio behind the first one.
        @Test func aShortAnalysisFindsTheAudio() async throws {
            let file = try await Clip.plain.path()
            try await withYard { srt, server in
                let publisher = try Command(ffmpeg(file, to: srt.url("publish:yard", "&pkt_size=1316")), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(try await server.isServing("yard"))
                let probe = try await Command.run(
                    [
                        "ffprobe", "-v", "error", "-analyzeduration", "100000", "-select_streams", "a:0",
                        "-show_entries", "stream=codec_name,sample_rate", "-of", "csv=p=0", srt.url("read:yard"),
                    ], within: 30)
                #expect(probe.text.hasPrefix("aac,48000"), "\(probe.text) \(probe.diagnostics)")
            }
        }

        /// libavformat does not decode its URLs.
        private static let ffmpegPassphrase = "&passphrase=\(passphrase)"

        @Test(.enabled(if: VLC.isInstalled, "needs VLC")) func vlcPlays() async throws {
            let file = try await Clip.plain.path()
            try await withYard { srt, server in
                let publisher = try Command(ffmpeg(file, to: srt.url("publish:yard", "&pkt_size=1316")), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(try await server.isServing("yard"))
                let vlc = try VLC(playing: srt.url("read:yard"))
                let statistics = try await vlc.statistics(within: 30) { $0.displayedFrames >= 60 }
                #expect(statistics != nil, "\(vlc.log.suffix(20).joined(separator: "\n"))")
                _ = try await vlc.quit()
            }
        }

        /// A viewer over RTSP stays while its publisher over SRT is killed and comes back.
        @Test func viewersStayWhilePublishersComeAndGo() async throws {
            let file = try await Clip.plain.path()
            try await withYard { srt, server in
                let url = srt.url("publish:yard", "&pkt_size=1316")
                let first = try Command(ffmpeg(file, to: url), in: "/")
                #expect(try await server.isServing("yard"))
                async let watching = Command.run(
                    Client.ffmpeg(server.url("yard"), over: "tcp") + [
                        "-map", "0", "-c", "copy", "-t", "10", "-f", "null", "-",
                    ], within: 40)
                #expect(await server.logs("info     joined"))
                first.signal(SIGKILL)
                #expect(await server.logs("publisher left", within: 10))
                let second = try Command(ffmpeg(file, to: url), in: "/")
                defer { second.signal(SIGTERM) }
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
                #expect(server.log.ranges(of: "publisher joined").count == 2)
            }
        }

        /// Clients that are rejected learn a code; the log has the reason.
        @Test func usersPublishAndPlay() async throws {
            let file = try await Clip.plain.path()
            let users = """
                users:
                  ann: { password: sesame, publish: ["*"] }
                  eve: { password: apple }
                """
            try await withYard(users) { srt, server in
                for (streamID, query, reason) in [
                    ("publish:yard", "", "the client sent no user and password"),
                    ("publish:yard:ann:no", "", "wrong password of user ann"),
                    ("publish:yard:eve:apple", "", "user eve has no permission for this"),
                    ("publish:yrad:ann:sesame", "", "there is no path /yrad"),
                    ("%23!::r=yard,m=wrong", "", "stream id"),
                    ("publish:safe:ann:sesame", "", "passphrase"),
                    ("publish:safe:ann:sesame", "&passphrase=another secret", "passphrase"),
                ] {
                    let outcome = try await Command.run(ffmpeg(file, to: srt.url(streamID, query)), within: 20)
                    #expect(outcome.status != 0, "\(streamID)")
                    #expect(await server.logs(reason), "\(streamID): \(outcome.diagnostics) \(server.log)")
                }
                for (count, streamID) in ["publish:yard:ann:sesame", "%23!::r=yard,m=publish,u=ann,s=sesame"]
                    .enumerated()
                {
                    let publisher = try Command(ffmpeg(file, to: srt.url(streamID, "&pkt_size=1316")), in: "/")
                    defer { publisher.signal(SIGKILL) }
                    let hasJoined = await eventually(within: 15) {
                        server.log.ranges(of: "publisher joined path=/yard").count == count + 1
                    }
                    #expect(hasJoined, "\(streamID): \(publisher.errors) \(server.log)")
                    let playing = try await Command.run(
                        ["ffmpeg", "-nostdin", "-v", "error", "-i", srt.url("read:yard:eve:apple")]
                            + ["-frames:v", "20", "-f", "null", "-"], within: 30)
                    #expect(playing.status == 0, "\(streamID): \(playing.diagnostics) \(server.log.suffix(1_500))")
                    for text in [server.log, server.notice] { #expect(!text.contains("sesame")) }
                }
            }
        }

        @Test func theNoticeHasWhatToPaste() async throws {
            try await withYard { srt, server in
                #expect(server.notice.contains("UDP port \(srt.port) (SRT)"), "\(server.notice)")
                #expect(server.notice.contains(":\(srt.port)?streamid=publish:yard"), "\(server.notice)")
            }
        }
    }
}

/// The SRT port of a server on this host.
private struct SRTAddress {
    let port: Int

    func url(_ streamID: String, _ query: String = "") -> String {
        "srt://127.0.0.1:\(port)?streamid=\(streamID)\(query)"
    }
}

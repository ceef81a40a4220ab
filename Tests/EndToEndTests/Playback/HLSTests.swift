import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `index.m3u8` in real players, and what playlists say, compared with the media.
    @Suite(.serialized, .sharesMachineForLong)
    struct HLS {
        /// Its HLS demultiplexer ignores elements that have enough, so that GStreamer must be ended.
        private func watchByGStreamer(_ url: String) async throws {
            let client = try Command(
                [
                    "gst-launch-1.0", "-v", "souphttpsrc", "location=\(url)", "!", "hlsdemux", "!", "qtdemux",
                    "name=file",
                    "file.video_0", "!", "queue", "!", "h264parse", "!", "avdec_h264", "!", "fakesink", "name=video",
                    "silent=false",
                    "file.audio_0", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "fakesink", "name=audio",
                    "silent=false",
                ], in: "/")
            defer { client.signal(SIGKILL) }
            let arePlaying = await eventually(within: 40) {
                let text = String(decoding: client.output, as: UTF8.self)
                return ["video", "audio"].allSatisfy {
                    text.ranges(of: "GstFakeSink:\($0): last-message = chain").count >= 60
                }
            }
            #expect(arePlaying, "gstreamer: \(client.errors.suffix(500))")
        }

        @Test func theTestCardPlaysInEveryClient() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                for client in Client.allCases where client.isInstalled && client != .gstreamer {
                    try await client.watchOverHTTP(server.playlistURL(), within: 40, log: server.log)
                }
                if Client.gstreamer.isInstalled { try await watchByGStreamer(server.playlistURL()) }
            }
        }

        @Test(.enabled(if: VLC.isInstalled, "needs VLC")) func theTestCardPlaysInVLC() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                let vlc = try VLC(playing: server.playlistURL())
                let seen = try await vlc.statistics(within: 30) {
                    $0.displayedFrames >= 60 && $0.playedAudioBuffers >= 60
                }
                #expect(seen != nil, "\(vlc.log.suffix(30))")
                #expect(try await vlc.quit().status == 0)
            }
        }

        @Test(arguments: [(Clip.plain, "h264"), (.bFrames, "h264"), (.h265, "hevc")])
        func theMediaOfAFileAreCopied(clip: Clip, format: String) async throws {
            let file = try await clip.path()
            let media = try await CopiedMedia(of: file, format: format)
            try await withServer(file, hasHTTP: true) { server in
                try await media.expectCopy(at: server.playlistURL())
            }
        }

        @Test func audioAlonePlays() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                let outcome = try await Command.run(
                    Client.ffprobe.argumentsOverHTTP(server.playlistURL("cam", "?video=0")), within: 30)
                #expect(outcome.text.contains("aac,") && !outcome.text.contains("h264"), "\(outcome.diagnostics)")
            }
        }

        @Test func substreamsAreQualitiesThatPlay() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                paths:
                  cam: { source: testcard, video: { width: 640, height: 360 } }
                  cam/sub: { source: "stream:cam", video: { width: 320, height: 180, framesPerSecond: 10 } }

                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                for path in ["cam", "cam/sub"] { try #require(try await server.isServing(path)) }
                let outcome = try await Command.run(
                    [
                        "ffprobe", "-v", "error", "-show_entries", "stream=width", "-of", "csv=p=0",
                        server.playlistURL(),
                    ],
                    within: 30)
                #expect(outcome.text.contains("640") && outcome.text.contains("320"), "\(outcome.diagnostics)")
            }
        }

        /// Sequence numbers, durations and dates, compared with the times and the capture times in the media.
        @Test(.enabled(if: Command.exists("python3"), "needs Python"), arguments: ["testcard", "plain.mp4"])
        func playlistsAreRightToTheMillisecond(source: String) async throws {
            let file = source == "testcard" ? source : try await Clip.plain.path()
            try await withServer(file, hasHTTP: true) { server in
                #expect(try await server.isServing())
                let outcome = try await Command.run(
                    ["python3", "-B", Checkout.path("script/acceptance.d/playlists.py"), "8", server.playlistURL()],
                    within: 30)
                #expect(outcome.status == 0, "\(outcome.text) \(outcome.diagnostics)")
            }
        }

        @Test func theStatusListsThePlayer() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                let client = try Command(
                    ["ffmpeg", "-nostdin", "-v", "error", "-i", server.playlistURL(), "-f", "null", "-"], in: "/")
                defer { client.signal(SIGKILL) }
                var shown = ""
                _ = try await eventually(within: 15) {
                    shown = try await Command.run([ServerProcess.binary(), "status", "--port", "\(server.port)"]).text
                    return shown.contains("Lavf/")
                }
                let line = shown.split(separator: "\n").first { $0.contains("Lavf/") }
                #expect(line?.contains("HLS") == true, "\(shown)")
            }
        }
    }
}

extension ServerProcess {
    /// The address of a path as HLS.
    func playlistURL(_ path: String = "cam", _ query: String = "") -> String {
        "http://127.0.0.1:\(httpPort)/\(path)/index.m3u8\(query)"
    }
}

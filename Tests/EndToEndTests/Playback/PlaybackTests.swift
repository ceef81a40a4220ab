import TestSupport
import Testing

extension EndToEnd {
    /// Each supported client plays each kind of source.
    @Suite(.serialized, .exclusive)
    struct Playback {
        @Test func theTestCardPlaysInEveryClient() async throws {
            try await everyClientPlays("testcard")
        }

        @Test func filesPlayInEveryClient() async throws {
            try await concurrently([Clip.plain, .bFrames, .needsTranscoding]) { try await everyClientPlays($0.path()) }
        }

        @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
        func aFileWithSurroundSoundPlaysInEveryClient() async throws {
            try await everyClientPlays(SharedData.path("video/big-buck-bunny-480p-30s.mp4"))
        }

        private func everyClientPlays(_ source: String) async throws {
            try await overBothTransports(of: source) { server, transport in
                for client in Client.allCases where client.isInstalled {
                    try await client.watch(server.url(), over: transport)
                }
            }
        }

        @Test func aStreamWithLongGOPsBeginsAtTheNextIDRFrameAtTheLatest() async throws {
            try await overBothTransports(of: Clip.longGOPs.path()) { server, transport in
                try await Client.ffmpeg.watch(server.url(), over: transport)
            }
        }

        /// The muxer has the stream's time base, so that every warning concerns the stream.
        @Test func timestampsIncreaseFromTheFirstFrameAndAcrossLoops() async throws {
            try await concurrently([Clip.plain, .bFrames]) { clip in
                try await overBothTransports(of: clip.path()) { server, transport in
                    let outcome = try await Command.run(
                        ["ffmpeg", "-nostdin", "-v", "warning", "-rtsp_transport", transport, "-i", server.url()]
                            + ["-t", "9", "-enc_time_base:v", "-1", "-f", "null", "-"], within: 30)
                    #expect(outcome.status == 0)
                    #expect(outcome.errors.isEmpty, "\(clip): \(outcome.diagnostics)")
                }
            }
        }

        @Test func videoAndAudioPlayOverIPv6() async throws {
            try await overBothTransports(of: Clip.plain.path()) { server, transport in
                try await Client.ffmpeg.watch(server.url(host: "[::1]"), over: transport)
            }
        }
    }
}

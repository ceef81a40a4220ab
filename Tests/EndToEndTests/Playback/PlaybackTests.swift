import TestSupport
import Testing

extension EndToEnd {
    /// Every client that people use plays every kind of source.
    @Suite(.serialized, .alone)
    struct Watching {
        @Test func theTestCardPlaysInEveryClient() async throws {
            try await everyClientPlays("testcard")
        }

        @Test func filmsPlayInEveryClient() async throws {
            try await concurrently([Clip.plain, .bFrames, .needsTranscoding]) { try await everyClientPlays($0.path()) }
        }

        @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
        func aFilmWithSurroundSoundPlaysInEveryClient() async throws {
            try await everyClientPlays(SharedData.path("video/big-buck-bunny-480p-30s.mp4"))
        }

        private func everyClientPlays(_ source: String) async throws {
            try await overBothTransports(of: source) { server, transport in
                for client in Client.allCases where client.isInstalled {
                    try await client.watch(server.url(), over: transport)
                }
            }
        }

        @Test func longGroupsOfPicturesBeginAtTheNextIDRAtTheLatest() async throws {
            try await overBothTransports(of: Clip.longGOPs.path()) { server, transport in
                try await Client.ffmpeg.watch(server.url(), over: transport)
            }
        }

        /// With the encoder's clock as fine as the stream's, every warning is about the stream.
        @Test func timestampsIncreaseFromTheFirstPictureOnAndAcrossLoops() async throws {
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

        @Test func overIPv6TooThereIsPictureAndSound() async throws {
            try await overBothTransports(of: Clip.plain.path()) { server, transport in
                try await Client.ffmpeg.watch(server.url(host: "[::1]"), over: transport)
            }
        }
    }
}

import TestSupport
import Testing

extension EndToEnd {
    /// Every client that people use plays every kind of source.
    @Suite(.serialized)
    struct Watching {
        @Test(arguments: Client.allCases.filter(\.isInstalled), ["udp", "tcp"])
        func theTestCardPlays(in client: Client, over transport: String) async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isOnAir())
                try await client.watch(server.url(), over: transport)
            }
        }

        @Test(arguments: [Clip.plain, .bFrames, .foreign], ["udp", "tcp"])
        func aFilmPlaysInEveryClient(_ clip: Clip, over transport: String) async throws {
            try await withServer(clip.path()) { server in
                #expect(try await server.isOnAir())
                for client in Client.allCases where client.isInstalled {
                    try await client.watch(server.url(), over: transport)
                }
            }
        }

        @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"), arguments: ["udp", "tcp"])
        func aFilmWithSurroundSoundPlaysInEveryClient(over transport: String) async throws {
            try await withServer(SharedData.path("video/big-buck-bunny-480p-30s.mp4")) { server in
                #expect(try await server.isOnAir())
                for client in Client.allCases where client.isInstalled {
                    try await client.watch(server.url(), over: transport)
                }
            }
        }

        @Test(arguments: ["udp", "tcp"])
        func longGroupsOfPicturesBeginAtTheNextIDRAtTheLatest(over transport: String) async throws {
            try await withServer(Clip.longGroups.path()) { server in
                #expect(try await server.isOnAir())
                try await Client.ffmpeg.watch(server.url(), over: transport)
            }
        }

        /// With the encoder's clock as fine as the stream's, every warning is about the stream.
        @Test(arguments: [Clip.plain, .bFrames], ["udp", "tcp"])
        func timestampsIncreaseFromTheFirstPictureOnAndAcrossLoops(of clip: Clip, over transport: String) async throws {
            try await withServer(clip.path()) { server in
                #expect(try await server.isOnAir())
                let outcome = try await Command.run(
                    ["ffmpeg", "-nostdin", "-v", "warning", "-rtsp_transport", transport, "-i", server.url()]
                        + ["-t", "9", "-enc_time_base:v", "-1", "-f", "null", "-"], within: 30)
                #expect(outcome.status == 0)
                #expect(outcome.errors.isEmpty, "\(outcome.complaint)")
            }
        }

        @Test func overIPv6TooThereIsPictureAndSound() async throws {
            try await withServer(Clip.plain.path()) { server in
                #expect(try await server.isOnAir())
                for transport in ["udp", "tcp"] {
                    try await Client.ffmpeg.watch(server.url(host: "[::1]"), over: transport)
                }
            }
        }
    }
}

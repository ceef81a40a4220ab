import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// With users in the configuration, real clients play with the right password, and with no other.
    @Suite(.serialized)
    struct Access {
        /// `viewer` has `sesame77`, as `apus password` keeps it; `gardener` may watch other paths.
        private static let users = """
            users:
              viewer: { password: "md5:0c58af1df45a7786b7cf06e90cedf6dc" }
              gardener: { password: garden88, read: yard/* }
            paths: { cam: { source: testcard } }
            """

        private func withUsers(_ body: (ServerProcess) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            try folder.write(Self.users, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { try await body($0) }
        }

        private func url(_ server: ServerProcess, as user: String) -> String { server.url(host: "\(user)@127.0.0.1") }

        @Test(arguments: [Client.ffmpeg, .ffprobe, .mpv].filter(\.isInstalled), ["udp", "tcp"])
        func whoKnowsThePasswordWatches(in client: Client, over transport: String) async throws {
            try await withUsers { server in
                try await client.watch(url(server, as: "viewer:sesame77"), over: transport, log: server.log)
                #expect(!server.log.contains("refused"))
            }
        }

        @Test(arguments: ["viewer:sesame78", "viewer", "gardener:garden88", "nobody:sesame77"])
        func othersAreToldThatTheyMayNot(credentials: String) async throws {
            try await withUsers { server in
                let outcome = try await Command.run(
                    Client.ffmpeg.arguments(url(server, as: credentials), over: "tcp"), within: 20)
                #expect(outcome.status != 0 && outcome.errors.contains("401 Unauthorized"))
                #expect(
                    !server.log.contains("joined") && !server.log.contains("sesame") && !server.log.contains("garden8"))
            }
        }

        @Test func withoutAPasswordOnlyOptionsIsAnswered() async throws {
            try await withUsers { server in
                let client = try RTSPSocket(port: server.port)
                #expect(try client.request("OPTIONS", server.url()).status == 200)
                for path in ["cam", "none", ""] {
                    let response = try client.request("DESCRIBE", server.url(path))
                    #expect(response.status == 401)
                    #expect(response.header("WWW-Authenticate")?.hasPrefix("Digest realm=\"Apus\", nonce=\"") == true)
                }
            }
        }

        @Test(.enabled(if: VLC.isInstalled, "needs VLC"))
        func stockVLCPlaysWithItsURLsPasswordAndOthersReadInTheLogWhatToPaste() async throws {
            try await withUsers { server in
                let vlc = try VLC(playing: url(server, as: "viewer:sesame77"))
                #expect(try await vlc.statistics(within: 15) { $0.displayedPictures >= 30 } != nil)
                #expect(try await vlc.quit().status == 0)
                let stranger = try VLC(playing: server.url())
                #expect(await eventually(within: 10) { server.log.contains("rtsp://USER:PASSWORD@127.0.0.1:") })
                _ = try await stranger.quit()
                #expect(!server.log.contains("sesame"))
            }
        }
    }
}

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Multicast between two network namespaces, so that no group leaves the host or collides with another.
    @Suite(
        .serialized, .sharesMachineForLong, .enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
    struct Multicast {
        @Test func ffmpegAndGStreamerPlayAGroup() async throws {
            try await withMulticastServer { server, pair in
                for client in [Client.ffmpeg, .gstreamer] where client.isInstalled {
                    try await client.watch(
                        server.url(host: pair.serverAddress), over: "udp_multicast", prefix: pair.onClient,
                        log: server.log)
                }
            }
        }

        @Test func anSDPFileIsEnoughToPlayAGroup() async throws {
            try await withMulticastServer { server, pair in
                let description = try await sessionDescription(of: server, in: pair)
                let folder = try TemporaryFolder()
                try folder.write(description.text, to: "cam.sdp")
                // The server sends to a group only while a viewer that requested it is connected.
                let other = try Command(
                    pair.onClient
                        + Client.ffmpeg(server.url(host: pair.serverAddress), over: "udp_multicast")
                        + ["-c", "copy", "-f", "null", "-"])
                #expect(await eventually(within: 5) { server.log.contains("transport=multicast") })
                let watching = try await Command.run(
                    pair.onClient + ["ffmpeg", "-nostdin", "-v", "error", "-xerror"]
                        + ["-protocol_whitelist", "file,udp,rtp", "-i", folder.file("cam.sdp")]
                        + ["-map", "0:v:0", "-map", "0:a:0", "-frames:v", "60", "-frames:a", "80", "-f", "null", "-"])
                #expect(watching.status == 0, "\(watching.diagnostics)")
                other.signal(SIGINT)
                _ = await other.finish(within: 5)
            }
        }

        /// The server sends sender reports to a new member at once; without them its tracks would be aligned later.
        @Test func aLateMemberOfAGroupHasAlignedTracksFromTheStart() async throws {
            try await withMulticastServer { server, pair in
                let watch = Client.ffmpeg(server.url(host: pair.serverAddress), over: "udp_multicast")
                let first = try Command(pair.onClient + watch + ["-c", "copy", "-f", "null", "-"])
                #expect(await eventually(within: 5) { server.log.contains("transport=multicast") })
                let second = try await Command.run(
                    pair.onClient + watch + ["-t", "4", "-enc_time_base:v", "-1", "-f", "null", "-"])
                #expect(second.status == 0)
                #expect(!second.errors.contains("non monotonic"), "\(second.diagnostics)")
                first.signal(SIGINT)
                _ = await first.finish(within: 5)
            }
        }

        /// The playlist names `rtp://@GROUP:PORT`, which is all that VLC and ffmpeg need.
        @Test func aTransportStreamIsPlayableByItsAddressAlone() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: {cam: {source: testcard, multicastTransportStream: always}}\n", to: "apus.yml")
            try await withServer(["--config", folder.file("apus.yml")]) { server, pair in
                let playlist = try await Command.run(
                    [ServerProcess.binary(), "playlist", "cam", "--config", folder.file("apus.yml")])
                let url = try #require(playlist.text.split(separator: "\n").last { $0.hasPrefix("rtp://@") })
                let watching = try await Command.run(
                    pair.onClient + ["ffmpeg", "-nostdin", "-v", "fatal", "-i", String(url)]
                        + ["-map", "0:v:0", "-map", "0:a:0", "-frames:v", "60", "-frames:a", "80", "-f", "null", "-"])
                #expect(watching.status == 0, "\(watching.diagnostics) \(server.log)")
            }
        }

        private func sessionDescription(of server: ServerProcess, in pair: NetworkPair) async throws -> Command.Outcome
        {
            try await Command.run(
                pair.onServer + [ServerProcess.binary(), "sdp", "--multicast", "--port", "\(server.port)", "cam"])
        }

        private func withMulticastServer(_ body: (ServerProcess, NetworkPair) async throws -> Void) async throws {
            try await withServer(["--multicast", "testcard"]) { server, pair in
                let isServing = try await eventually(within: 10) {
                    try await sessionDescription(of: server, in: pair).status == 0
                }
                #expect(isServing, "\(server.log)")
                try await body(server, pair)
            }
        }

        private func withServer(
            _ arguments: [String], _ body: (ServerProcess, NetworkPair) async throws -> Void
        ) async throws {
            let pair = NetworkPair()
            do {
                try await pair.create()
                let server = try await ServerProcess.start(["--open"] + arguments, prefix: pair.onServer)
                try await body(server, pair)
                await server.stop()
            } catch {
                Issue.record(error)
            }
            await pair.remove()
        }
    }
}

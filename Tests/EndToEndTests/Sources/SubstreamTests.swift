import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A substream is made from another path's frames; effects appear in both.
    @Suite(.serialized, .sharesMachine)
    struct Substreams {
        private static let paths = """
            paths:
              cam:
                video: { width: 640, height: 360 }
                effects: { privacyMasks: [["0%", "0%", "50%", "50%"]] }
              cam/sub:
                source: "stream:cam"
                video: { width: 320, height: 180, frameRate: 15, bitrate: 300000 }
            """

        private func serving(_ body: (ServerProcess, TemporaryFolder) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            try folder.write("control: { socket: \(folder.file("control")) }\n\(Self.paths)\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                for path in ["cam", "cam/sub"] { #expect(try await server.isServing(path)) }
                try await body(server, folder)
            }
        }

        /// Returns the average luma of the quarters of a live frame; skips the first frames, which may precede the last change.
        private func averageLuma(_ url: String) async throws -> [Int] {
            let frame = try await Command.run(
                Client.ffmpeg(url, over: "tcp")
                    + [
                        "-map", "0:v", "-frames:v", "1", "-vf", "select=gte(n\\,80),scale=2:2:flags=area,format=gray",
                        "-f", "rawvideo", "-",
                    ])
            #expect(frame.status == 0, "\(frame.diagnostics)")
            return [UInt8](frame.output).map(Int.init)
        }

        @Test func aSubstreamHasItsOwnSizeAndRateAndItsParentsAudioAndMasks() async throws {
            try await serving { server, _ in
                let probe = try await Command.run([
                    "ffprobe", "-v", "error", "-rtsp_transport", "tcp", "-show_entries",
                    "stream=codec_name,width,height,avg_frame_rate", "-of", "csv=p=0", server.url("cam/sub"),
                ])
                #expect(probe.text == "h264,320,180,15/1\naac,0/0\n", "\(probe.diagnostics)")
                for path in ["cam", "cam/sub"] {
                    let quarters = try await averageLuma(server.url(path))
                    #expect(quarters.count == 4 && quarters[0] < 24 && quarters[3] > 40, "\(path): \(quarters)")
                }
                try await Client.ffprobe.watch(server.url("cam/sub"), over: "udp")
            }
        }

        @Test func aChangeOfTheParentAffectsBothStreamsAndViewersStayConnected() async throws {
            try await serving { server, folder in
                let viewer = try RTSPSocket(port: server.port)
                #expect(try viewer.play(server.url("cam/sub")).answer.status == 200)
                let done = try await Command.run(
                    [
                        ServerProcess.binary(), "set", "--config", folder.file("apus.yml"), "cam",
                        "effects.rotate=180", "effects.privacyMasks=[[0%, 0%, 50%, 50%]]", "video.width=480",
                    ], within: 10)
                #expect(done.status == 0, "\(done.diagnostics)")
                let seen = viewer.watch(for: 2)
                #expect(seen.missing == 0 && seen.packets > 30)
                for path in ["cam", "cam/sub"] {
                    let quarters = try await averageLuma(server.url(path))
                    #expect(quarters.count == 4 && quarters[3] < 24 && quarters[0] > 24, "\(path): \(quarters)")
                }
            }
        }
    }
}

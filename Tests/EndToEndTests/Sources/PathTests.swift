import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests which stream a URL selects.
    @Suite(.serialized, .sharesMachine)
    struct Paths {
        @Test func theRootServesTheOnlyStream() async throws {
            try await withServer(Clip.plain.path()) { server in
                #expect(try await server.isServing())
                try await Client.ffprobe.watch(server.url(""), over: "tcp")
            }
        }

        @Test func theRootListsSeveralStreams() async throws {
            try await withServer("door=testcard", "yard=\(Clip.plain.path())") { server in
                #expect(try await server.isServing("door"))
                #expect(try await server.isServing("yard"))
                let answer = try RTSPSocket(port: server.port).request("DESCRIBE", server.url(""))
                #expect(answer.status == 404)
                #expect(answer.head.contains("/door") && answer.head.contains("/yard"), "\(answer.head)")
            }
        }

        @Test func aMisspelledPathIsNotFoundAndTheNearestIsSuggested() async throws {
            try await withServer("door=\(Clip.plain.path())") { server in
                #expect(try await server.isServing("door"))
                let answer = try RTSPSocket(port: server.port).request("DESCRIBE", server.url("dor"))
                #expect(answer.status == 404)
                #expect(await server.logs("/door"), "\(server.log)")
            }
        }

        @Test func aMissingFileAffectsNoOtherStream() async throws {
            try await withServer("gone=/nowhere/film.mp4", "yard=\(Clip.plain.path())") { server in
                #expect(try await server.isServing("yard"))
                try await Client.ffprobe.watch(server.url("yard"), over: "tcp")
                #expect(try RTSPSocket(port: server.port).request("DESCRIBE", server.url("gone")).status == 503)
                #expect(await server.logs("/nowhere"), "\(server.log)")
            }
        }

        /// With `loop: false`, ffmpeg ends by itself and has not received more frames than the file has.
        @Test(arguments: ["tcp", "udp"])
        func aFileWithoutLoopEndsForItsViewers(_ transport: String) async throws {
            let folder = try TemporaryFolder()
            let clip = try await Clip.plain.path()
            try folder.write("paths: { film: { source: \"\(clip)\", loop: false } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isServing("film"))
                let outcome = try await Command.run(
                    Client.ffmpeg(server.url("film"), over: transport)
                        + ["-map", "0:v", "-c", "copy", "-f", "framecrc", "-"], within: 20)
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let frames = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
                    .count { !$0.hasPrefix("#") }
                // 6 s with 30 frames each; the viewer may have missed some at the beginning.
                #expect((90...180).contains(frames), "\(frames) frames")
                let answer = try RTSPSocket(port: server.port).request("DESCRIBE", server.url("film"))
                #expect(answer.status == 404)
                #expect(answer.head.contains("/film has ended"), "\(answer.head)")
                let status = try await Command.run(
                    [ServerProcess.binary(), "status", "--port", "\(server.port)"], within: 10)
                #expect(String(decoding: status.output, as: UTF8.self).contains("ended for"))
            }
        }

        /// The server retries the source at growing intervals.
        @Test func aFileThatAppearsLaterIsServed() async throws {
            let folder = try TemporaryFolder()
            let clip = try await Clip.plain.path()
            try await withServer("late=\(folder.file("film.mp4"))", "yard=\(clip)") { server in
                #expect(await eventually(within: 5) { server.log.contains("film.mp4") })
                try FileManager.default.copyItem(atPath: clip, toPath: folder.file("film.mp4"))
                #expect(try await server.isServing("late"))
                try await Client.ffprobe.watch(server.url("late"), over: "tcp")
            }
        }
    }
}

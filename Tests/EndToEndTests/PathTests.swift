import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What a URL leads to.
    @Suite(.serialized, .besideOthers)
    struct Paths {
        @Test func theRootIsTheOnlyStream() async throws {
            try await withServer(Clip.plain.path()) { server in
                #expect(try await server.isOnAir())
                try await Client.ffprobe.watch(server.url(""), over: "tcp")
            }
        }

        @Test func theRootListsSeveralStreams() async throws {
            try await withServer("door=testcard", "yard=\(Clip.plain.path())") { server in
                #expect(try await server.isOnAir("door"))
                #expect(try await server.isOnAir("yard"))
                let answer = try RTSPSocket(port: server.port).request("DESCRIBE", server.url(""))
                #expect(answer.status == 404)
                #expect(answer.head.contains("/door") && answer.head.contains("/yard"), "\(answer.head)")
            }
        }

        @Test func aMisspeltPathIsNotFoundAndTheNearestIsNamed() async throws {
            try await withServer("door=\(Clip.plain.path())") { server in
                #expect(try await server.isOnAir("door"))
                let answer = try RTSPSocket(port: server.port).request("DESCRIBE", server.url("dor"))
                #expect(answer.status == 404)
                #expect(await server.logs("/door"), "\(server.log)")
            }
        }

        @Test func aMissingFileTakesNoOtherStreamDown() async throws {
            try await withServer("gone=/nowhere/film.mp4", "yard=\(Clip.plain.path())") { server in
                #expect(try await server.isOnAir("yard"))
                try await Client.ffprobe.watch(server.url("yard"), over: "tcp")
                #expect(try RTSPSocket(port: server.port).request("DESCRIBE", server.url("gone")).status == 503)
                #expect(await server.logs("/nowhere"), "\(server.log)")
            }
        }

        /// The source is looked for again with growing pauses.
        @Test func aFileThatAppearsLaterGoesOnAir() async throws {
            let folder = try TemporaryFolder()
            let clip = try await Clip.plain.path()
            try await withServer("late=\(folder.file("film.mp4"))", "yard=\(clip)") { server in
                #expect(await eventually(within: 5) { server.log.contains("film.mp4") })
                try FileManager.default.copyItem(atPath: clip, toPath: folder.file("film.mp4"))
                #expect(try await server.isOnAir("late"))
                try await Client.ffprobe.watch(server.url("late"), over: "tcp")
            }
        }
    }
}

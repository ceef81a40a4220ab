import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A server that pulls the streams of another server.
    @Suite(.serialized, .sharesMachine)
    struct Pulled {
        /// Video and audio of the second server's viewers equal the file, over both transports, also with B-frames.
        @Test(arguments: [Clip.plain, .bFrames]) func aPulledStreamIsUnchanged(_ clip: Clip) async throws {
            let file = try await clip.path()
            let original = try await units(of: ["-i", file], "-t", "6")
            let sound = try await frames(of: ["-i", file], "-t", "6")
            let folder = try TemporaryFolder()
            try await withServer(file) { origin in
                #expect(try await origin.isServing())
                try folder.write(
                    """
                    paths:
                      tcp: { source: "\(origin.url())" }
                      udp: { source: "\(origin.url())", pull: { transport: udp } }
                    """, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { edge in
                    try await concurrently(["tcp", "udp"]) { path in
                        #expect(try await edge.isServing(path))
                        async let video = units(of: viewing(edge.url(path)), "-t", "8")
                        async let audio = frames(of: viewing(edge.url(path)), "-t", "8")
                        try expectPart(try await video, of: original, "video of /\(path)")
                        // The encoder's first frame, from before time 0, is not repeated with the file, so the audio is
                        // compared between two repetitions only.
                        let passes = try await audio.split(separator: sound[sound.count - 1]).map(Array.init)
                        let longest = try #require(passes.max { $0.count < $1.count })
                        try expectPart(longest, of: sound, "audio of /\(path)")
                    }
                }
            }
        }

        private func viewing(_ url: String) -> [String] { Array(Client.ffmpeg(url, over: "tcp").dropFirst(4)) }

        /// The NAL units of the video, without parameter sets.
        private func units(of input: [String], _ options: String...) async throws -> [[UInt8]] {
            let bytes = try await copy(
                input, ["-map", "0:v", "-c", "copy"] + options + ["-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"])
            return AnnexB.withoutParameterSets(AnnexB.units(of: bytes))
        }

        /// The checksums of the audio's access units.
        private func frames(of input: [String], _ options: String...) async throws -> [[UInt8]] {
            let text = try await copy(
                input, ["-map", "0:a", "-c", "copy"] + options + ["-f", "framemd5", "-"])
            return String(decoding: text, as: UTF8.self).split(separator: "\n")
                .filter { $0.first != "#" }.map { Array($0.split(separator: ",")[5].utf8) }
        }

        private func copy(_ input: [String], _ output: [String]) async throws -> [UInt8] {
            let outcome = try await Command.run(["ffmpeg", "-nostdin", "-v", "error"] + input + output, within: 40)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            return outcome.output
        }

        /// Whether the copy is a part of the original, which is repeated.
        private func expectPart(_ copied: [[UInt8]], of original: [[UInt8]], _ name: String) throws {
            #expect(copied.count > 20, "\(name)")
            let position = original.indices.first { index in
                copied.prefix(8).indices.allSatisfy { copied[$0] == original[(index + $0) % original.count] }
            }
            let start = try #require(position, "\(name)")
            let difference = copied.indices.first { copied[$0] != original[(start + $0) % original.count] }
            #expect(difference == nil, "\(name): of \(copied.count) units, from unit \(start) of \(original.count) on")
        }

        /// ffmpeg watches the second server while the first one is killed and started again.
        @Test func viewersStayWhileTheOtherServerIsAway() async throws {
            let port = try LoopbackSocket.freePort()
            let serving = [try ServerProcess.binary(), "serve", "--port", "\(port)", try await Clip.plain.path()]
            let first = try Command(serving, in: "/")
            try await withServer("cam=rtsp://127.0.0.1:\(port)/cam") { edge in
                #expect(try await edge.isServing())
                async let watching = Command.run(
                    Client.ffmpeg(edge.url(), over: "tcp") + [
                        "-map", "0", "-c", "copy", "-t", "12", "-f", "null", "-",
                    ],
                    within: 40)
                #expect(await edge.logs("joined"))
                first.signal(SIGKILL)
                #expect(await edge.logs("the server closed the connection"))
                let second = try Command(serving, in: "/")
                defer { second.signal(SIGTERM) }
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
                #expect(edge.log.ranges(of: "joined client=Lavf").count == 1)
            }
        }

        @Test func aPasswordIsUsedAndNeverShown() async throws {
            let folder = try TemporaryFolder()
            let clip = try await Clip.plain.path()
            try await withServer("--user", "ann:se#same@", "cam=\(clip)") { origin in
                let bare = "rtsp://127.0.0.1:\(origin.port)/cam"
                try folder.write(
                    """
                    paths:
                      apart: { source: "\(bare)", pull: { user: ann, password: "se#same@" } }
                      within: { source: "rtsp://ann:se%23same%40@127.0.0.1:\(origin.port)/cam" }
                      wrong: { source: "rtsp://ann:se%23samt@127.0.0.1:\(origin.port)/cam" }
                      none: { source: "\(bare)" }
                    """, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { edge in
                    for path in ["apart", "within"] { try #require(try await edge.isServing(path)) }
                    #expect(await edge.logs("\(bare): wrong user or password, or this user may not watch the path"))
                    #expect(await edge.logs("\(bare): the server requires a user and a password; set pull.user"))
                    for text in [edge.log, edge.notice] { #expect(!text.contains("se#sam") && !text.contains("se%23")) }
                }
            }
        }
    }
}

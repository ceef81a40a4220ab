import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A server that pulls the streams of another server.
    @Suite(.serialized, .sharesMachineForLong)
    struct Pulled {
        /// Video and audio of the second server's viewers equal the file, over both transports, also with B-frames.
        @Test(arguments: [Clip.plain, .bFrames]) func aPulledStreamIsUnchanged(_ clip: Clip) async throws {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file)
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
                        try await original.expectCopy(at: edge.url(path))
                    }
                }
            }
        }

        /// ffmpeg watches the second server while the first one is killed and started again.
        @Test func viewersStayWhileTheOtherServerIsAway() async throws {
            let port = try LoopbackSocket.freePort()
            let serving = [
                try ServerProcess.binary(), "serve", "--http-port", "0", "--port", "\(port)",
                try await Clip.plain.path(),
            ]
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

        /// ffmpeg sees the last frame while the first server is away, for several times, and no time that goes back.
        @Test func viewersSeeTheLastFrameWhileTheOtherServerIsAway() async throws {
            let port = try LoopbackSocket.freePort()
            let serving = [
                try ServerProcess.binary(), "serve", "--http-port", "0", "--port", "\(port)",
                try await Clip.plain.path(),
            ]
            let folder = try TemporaryFolder()
            let source = "rtsp://127.0.0.1:\(port)/cam"
            try folder.write(
                "paths: { cam: { source: \"\(source)\", absent: { show: frame, afterSeconds: 1 } } }", to: "apus.yml")
            let first = try Command(serving, in: "/")
            try await withServer("--config", folder.file("apus.yml")) { edge in
                #expect(try await edge.isServing())
                let copying = ["-map", "0", "-c", "copy", "-t", "15", "-f", "framecrc", "-"]
                async let watching = Command.run(Client.ffmpeg(edge.url(), over: "tcp") + copying, within: 60)
                #expect(await edge.logs("joined"))
                first.signal(SIGKILL)
                #expect(await edge.logs("the server closed the connection"))
                #expect(await edge.logs("viewers see its last frame", within: 10))
                let second = try Command(serving, in: "/")
                defer { second.signal(SIGTERM) }
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
                #expect(edge.log.ranges(of: "joined client=Lavf").count == 1)
                for track in 0...1 {
                    let times = outcome.text.split(separator: "\n").compactMap { line -> Int? in
                        let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                        return fields.first == "\(track)" ? Int(fields[1]) : nil
                    }
                    // ffmpeg gives its first two units one time, as with every stream.
                    let later = times.dropFirst(2)
                    #expect(later.count > 100 && zip(later, later.dropFirst()).allSatisfy { $0 < $1 }, "track \(track)")
                }
            }
        }

        /// The other server's time of day is not believed, only its reports; the true capture time is in the SEI of each frame.
        @Test func captureTimesOfAPulledStreamAreTrue() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: { source: testcard, timestamps: all } }", to: "origin.yml")
            try await withServer("--config", folder.file("origin.yml")) { origin in
                try #require(try await origin.isServing())
                try folder.write(
                    "paths: { cam: { source: \"\(origin.url())\", clock: arrival, timestamps: off } }",
                    to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { edge in
                    try #require(try await edge.isServing())
                    let client = try RTSPSocket(port: edge.port)
                    #expect(
                        try await eventually(within: 30) {
                            let text = try client.request("DESCRIBE", edge.url()).body
                            return text.contains("a=x-apus-capture-time:sender-reports")
                        })
                    let (outcome, report) = try await Measure.report(edge.url(), ["--seconds", "3"])
                    #expect(outcome.status == 0, "\(outcome.diagnostics)")
                    let error = try #require(report?.captureTimes.seiAfterSenderReports)
                    #expect(error.count > 50 && error.p50.magnitude < 5 && error.max.magnitude < 5, "\(error)")
                }
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

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Paths whose source runs only while it is needed.
    @Suite(.serialized, .sharesMachine)
    struct OnDemand {
        /// Fifty viewers that join at the same time cause one session with the other server, which ends after the last has left.
        @Test func fiftyViewersWakeOneSource() async throws {
            let folder = try TemporaryFolder()
            try await withServer(try await Clip.plain.path()) { origin in
                #expect(try await origin.isServing())
                try folder.write(
                    "paths: { cam: { source: \"\(origin.url())\", onDemand: true, onDemandCloseSeconds: 2 } }",
                    to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { edge in
                    #expect(!origin.log.contains("joined client=apus"), "nobody watches yet")
                    for round in 1...2 {
                        let viewers = try (0..<50).map { _ in try RTSPSocket(port: edge.port) }
                        // All wait at the same time.
                        for viewer in viewers { viewer.send(viewer.text(of: "DESCRIBE", edge.url())) }
                        for viewer in viewers { #expect(viewer.response(within: 15)?.status == 200) }
                        #expect(origin.log.ranges(of: "joined client=apus").count == round)
                        try await Client.ffmpeg.watch(edge.url(), over: "tcp", log: edge.log)
                        let lastLeft = Date()
                        #expect(await origin.logs("left client=apus", within: 10))
                        #expect(origin.log.ranges(of: "left client=apus").count <= round)
                        while origin.log.ranges(of: "left client=apus").count < round,
                            -lastLeft.timeIntervalSinceNow < 6
                        {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        #expect((1...3).contains(-lastLeft.timeIntervalSinceNow), "closed after 2 s ± 1 s")
                        withExtendedLifetime(viewers) {}
                    }
                }
            }
        }

        /// Of a file and of another server's stream alike: one run for all viewers, which goes on if a viewer joins in the closing time,
        /// and ends when that time has passed after the last one.
        @Test(arguments: [true, false]) func aViewerInTheClosingTimeCancelsTheClose(isFile: Bool) async throws {
            let folder = try TemporaryFolder()
            let clip = try await Clip.plain.path()
            try await withServer(clip) { origin in
                try #require(try await origin.isServing())
                try folder.write(
                    """
                    log: { level: debug }
                    paths: { cam: { source: "\(isFile ? clip : origin.url())", onDemand: true, onDemandCloseSeconds: 2 } }
                    """, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { server in
                    func count(_ text: String) -> Int { server.log.ranges(of: text).count }
                    #expect(await server.logs("source sleeps until"))
                    let waiting = try (0..<50).map { _ in try RTSPSocket(port: server.port) }
                    for viewer in waiting { viewer.send(viewer.text(of: "DESCRIBE", server.url())) }
                    let first = try RTSPSocket(port: server.port)
                    let (session, _) = try first.play(server.url())
                    for viewer in waiting { #expect(viewer.response(within: 15)?.status == 200) }
                    first.send(first.text(of: "TEARDOWN", server.url(), ["Session": session]))
                    #expect(await server.logs("info     left"))
                    try await Task.sleep(for: .seconds(1))
                    let second = try RTSPSocket(port: server.port)
                    let (next, _) = try second.play(server.url())
                    // Longer than what was left of the closing time.
                    try await Task.sleep(for: .seconds(2))
                    #expect(count("source starts") == 1 && count("source sleeps until") == 1)
                    second.send(second.text(of: "TEARDOWN", server.url(), ["Session": next]))
                    #expect(await eventually(within: 5) { count("info     left") == 2 })
                    let lastLeft = ContinuousClock.now
                    #expect(await eventually(within: 10) { count("source sleeps until") == 2 })
                    #expect((.seconds(1) ... .seconds(3)).contains(ContinuousClock.now - lastLeft))
                    #expect(count("source starts") == 1)
                }
            }
        }

        /// A client learns at once why the source cannot run.
        @Test func aFailureIsAnsweredAtOnce() async throws {
            let folder = try TemporaryFolder()
            let port = try LoopbackSocket.freePort()
            try folder.write(
                """
                paths:
                  away: { source: "rtsp://127.0.0.1:\(port)/cam", onDemand: true }
                  gone: { source: "\(folder.file("gone.mp4"))", onDemand: true }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                for (path, reason) in [("away", "Connection refused"), ("gone", "no file at")] {
                    let client = try RTSPSocket(port: server.port)
                    let begin = Date()
                    let answer = try client.request("DESCRIBE", server.url(path))
                    #expect(answer.status == 503 && answer.head.contains(reason), "\(answer.head)")
                    #expect(answer.header("Retry-After") != nil)
                    #expect(-begin.timeIntervalSinceNow < 2)
                }
            }
        }
    }
}

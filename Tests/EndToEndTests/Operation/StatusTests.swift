import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests `apus status`.
    @Suite(.serialized, .sharesMachine)
    struct Status {
        private struct StatusReport: Decodable {
            struct Stream: Decodable {
                let path: String
                let condition: Condition
                let pictures: Int
                let stages: [String: Distribution]
                let pictureTimes: [[String: Int64]]?
            }

            struct Condition: Decodable {
                let state: String
                let since: String
                let seconds: Double
                let reason: String?
            }

            struct Distribution: Decodable {
                let count: Int
                let p50: Double
                let p99: Double
                let max: Double
            }

            struct Viewer: Decodable {
                let path: String
                let transport: String
                let client: String
                let backlog: Double
            }

            let streams: [Stream]
            let viewers: [Viewer]
            let loops: [[String: Int64]]
        }

        private func status(of server: ServerProcess, _ arguments: String...) async throws -> Command.Outcome {
            try await Command.run([ServerProcess.binary(), "status", "--port", "\(server.port)"] + arguments)
        }

        private func shown(of server: ServerProcess, _ arguments: String...) async throws -> StatusReport {
            let outcome = try await Command.run(
                [ServerProcess.binary(), "status", "--json", "--port", "\(server.port)"] + arguments)
            try #require(outcome.status == 0, "\(outcome.diagnostics)")
            return try JSONDecoder().decode(StatusReport.self, from: Data(outcome.output))
        }

        @Test func statusShowsWhyASourceFailsAndWhenItIsRetried() async throws {
            try await withServer("gone=/nowhere/film.mp4", "cam=testcard") { server in
                let failing = try await eventually(within: 10) {
                    try await shown(of: server).streams.first { $0.path == "/gone" }?.condition.state == "failing"
                }
                #expect(failing)
                let condition = try #require(try await shown(of: server).streams.last?.condition)
                #expect(condition.reason == "no file at /nowhere/film.mp4; check the path")
                #expect(condition.seconds >= 0 && condition.since.hasSuffix("Z"))
                let text = String(decoding: try await status(of: server).output, as: UTF8.self)
                #expect(text.contains("failing for ") && text.contains("next try"), "\(text)")
            }
        }

        @Test func statusShowsViewersAndStageLatencies() async throws {
            try await withServer("testcard") { server in
                let watching = try Command(
                    Client.ffmpeg(server.url(), over: "udp") + ["-c", "copy", "-f", "null", "-"])
                var last: StatusReport?
                _ = try await eventually(within: 10) {
                    last = try await shown(of: server, "--pictures")
                    return (last?.streams.first?.stages["whole"]?.count ?? 0) >= 30
                }
                let now = try #require(last)
                #expect(now.viewers.map(\.transport) == ["UDP"])
                #expect(now.viewers.first?.client.hasPrefix("Lavf") == true)
                let stream = try #require(now.streams.first)
                #expect(
                    Set(stream.stages.keys) == ["capture", "encoding", "packaging", "waiting", "sending", "whole"])
                #expect(stream.stages.values.allSatisfy { $0.p50 <= $0.p99 && $0.p99 <= $0.max })
                // Each stage is a part of the total.
                let whole = try #require(stream.stages["whole"])
                #expect(stream.stages.values.allSatisfy { $0.p50 <= whole.max })
                let stations = ["captured", "encoderIn", "encoderOut", "packaged", "firstSent", "lastSent"]
                let sent = try #require(stream.pictureTimes).filter { $0["lastSent"] != nil }
                #expect(sent.count >= 30)
                for frame in sent {
                    let instants = stations.compactMap { frame[$0] }
                    // A loop that is already awake may begin to send before all feeds have the frame.
                    #expect(instants.count == stations.count && [0, 1, 2, 4, 5].map { instants[$0] }.isSorted)
                }
                watching.signal(SIGINT)
                _ = await watching.finish(within: 5)
            }
        }

        @Test func statusIsATableAndIsAlsoLogged() async throws {
            let folder = try TemporaryFolder()
            try folder.write("{ log: { statusSeconds: 1 }, paths: { cam: { source: testcard } } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(await eventually(within: 5) { server.log.contains("stream stages") })
                #expect(await server.logs("encodingP99="))
                let outcome = try await status(of: server)
                #expect(outcome.text.contains("/cam  test card") && outcome.text.contains("encoder in → encoder out"))
            }
        }

        @Test func withoutAServerStatusFails() async throws {
            let outcome = try await Command.run([ServerProcess.binary(), "status", "--port", "1"])
            #expect(
                outcome.status == 1 && outcome.errors.contains("if one is running, repeat its --port"),
                "\(outcome.diagnostics)")
            let misused = try await Command.run([ServerProcess.binary(), "status", "--pictures"])
            #expect(misused.status == 64, "\(misused.diagnostics)")
        }
    }
}

extension [Int64] {
    fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}

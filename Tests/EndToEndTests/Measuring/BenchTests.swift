import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests the counts of `apus bench viewers` and the reports of all bench commands.
    @Suite(.serialized, .exclusive)
    struct Bench {
        /// The tested part of the report.
        private struct Report: Decodable {
            let transport: String
            let established: Int
            let packets, gaps, lost, duplicates, reordered, wholeUnits, brokenUnits: Int
            let captureToArrival: Quantiles?
            let trains: String?

            struct Quantiles: Decodable {
                let count: Int
                let max: Double
            }
        }

        @Test func everyPacketIsCountedOverAllTransports() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let url = server.url()
                try await concurrently([["tcp"], ["udp"], ["udp", "--cut"]]) {
                    try await expectAllCounted(at: url, over: $0)
                }
            }
        }

        @Test func everyFragmentOfAFileAndAWebSocketIsCounted() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                #expect(try await server.isServing())
                let file = "http://127.0.0.1:\(server.httpPort)/cam/index.mp4"
                let socket = "ws://127.0.0.1:\(server.httpPort)/cam/ws"
                try await concurrently([(file, "mp4"), (socket, "websocket")]) { url, transport in
                    let outcome = try await Command.run(
                        [ServerProcess.binary(), "bench", "viewers", url, "--count", "3", "--seconds", "4", "--json"],
                        within: 30)
                    #expect(outcome.status == 0, "\(outcome.diagnostics)")
                    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
                    #expect(report.transport == transport && report.established == 3)
                    #expect(Double(report.wholeUnits) > 3 * 3 * 76 / Sanitizer.patience)
                    #expect(report.gaps == 0 && report.lost == 0 && report.brokenUnits == 0)
                    let latency = try #require(report.captureToArrival, "capture times")
                    #expect(latency.count > 0 && latency.max < 1_000 * Sanitizer.patience)
                }

                let missing = "http://127.0.0.1:\(server.httpPort)/other/index.mp4"
                let (failed, answer) = try await run(["bench", "viewers", missing, "--seconds", "1"])
                #expect(failed.status == 1)
                #expect(answer?.verdict.reasons == ["\(missing): 1 sessions failed: 404 Not Found"])
                for url in [file, socket] {
                    for wrong in [["--cut"], ["--stalled", "1"], ["--transport", "tcp"], ["--segments"]] {
                        #expect(try await run(["bench", "viewers", url] + wrong).0.status == 64)
                    }
                }
                let other = "ws://127.0.0.1:\(server.httpPort)/other/ws"
                let (refused, refusal) = try await run(["bench", "viewers", other, "--seconds", "1"])
                #expect(refused.status == 1)
                #expect(refusal?.verdict.reasons == ["\(other): 1 sessions failed: 404 Not Found"])
                #expect(try await run(["bench", "joins", file]).0.status == 64)
            }
        }

        @Test func everyPartAndSegmentOfHLSIsCounted() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                #expect(try await server.isServing())
                let playlist = "http://127.0.0.1:\(server.httpPort)/cam/index.m3u8"
                // Units of both tracks, and how old the first frame of a part or segment is at its last byte, in milliseconds.
                let kinds: [([String], String, units: Double, age: Double)] = [
                    ([], "ll-hls", units: 3 * 2 * 10, age: 1_000),
                    (["--segments"], "hls", units: 3 * 2 * 3, age: 6_000),
                ]
                try await concurrently(kinds) { more, transport, units, age in
                    let outcome = try await Command.run(
                        [ServerProcess.binary(), "bench", "viewers", playlist, "--count", "3", "--seconds", "6"]
                            + more + ["--json"],
                        within: 40)
                    #expect(outcome.status == 0, "\(outcome.diagnostics)")
                    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
                    #expect(report.transport == transport && report.established == 3)
                    #expect(Double(report.wholeUnits) > units / Sanitizer.patience)
                    #expect(report.packets == report.wholeUnits)
                    #expect(report.gaps == 0 && report.lost == 0 && report.brokenUnits == 0)
                    let latency = try #require(report.captureToArrival, "capture times")
                    #expect(latency.count > 0 && latency.max < age * Sanitizer.patience)
                }
                let missing = "http://127.0.0.1:\(server.httpPort)/other/index.m3u8"
                let (failed, answer) = try await run(["bench", "viewers", missing, "--seconds", "1"])
                #expect(failed.status == 1)
                #expect(answer?.verdict.reasons == ["\(missing): 1 sessions failed: 404 Not Found"])
                let file = "http://127.0.0.1:\(server.httpPort)/cam/index.mp4"
                #expect(try await run(["bench", "viewers", file, "--segments"]).0.status == 64)
            }
        }

        @Test func theViewersOverHTTPAnswerAChallenge() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                access: { wrongPasswordMilliseconds: 0 }
                users: { ann: { password: sesAme } }
                paths: { cam: { source: testcard } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                func reasons(_ user: String, _ name: String = "index.mp4", over scheme: String = "http")
                    async throws -> [String]?
                {
                    let stream = "\(scheme)://\(user)@127.0.0.1:\(server.httpPort)/cam/\(name)"
                    return try await run(["bench", "viewers", stream, "--seconds", "3"]).1?.verdict.reasons
                }
                let (right, wrong) = (try await reasons("ann:sesAme"), try await reasons("ann:sesame"))
                #expect(right == [])
                #expect(try await reasons("ann:sesAme", "index.m3u8") == [])
                #expect(try await reasons("ann:sesAme", "ws", over: "ws") == [])
                let end = "/cam/index.mp4: 1 sessions failed: wrong user or password"
                #expect(wrong?.first?.hasSuffix(end) == true)
            }
        }

        /// The part of the JSON that all commands share.
        private struct CommonReport: Decodable {
            let version: String
            let host: Host
            let arguments: [String]
            let verdict: Verdict
            let error: String?
            let transport: String?

            struct Host: Decodable {
                let name, kernel: String
                let processors: Int
            }

            struct Verdict: Decodable {
                let outcome: String
                let exitStatus: Int32
                let reasons: [String]
            }
        }

        private func run(_ arguments: [String]) async throws -> (Command.Outcome, CommonReport?) {
            let outcome = try await Command.run([ServerProcess.binary()] + arguments + ["--json"], within: 40)
            return (outcome, try? JSONDecoder().decode(CommonReport.self, from: Data(outcome.output)))
        }

        @Test func allCommandsShareTheirArgumentsAndExitStatuses() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let url = server.url()
                let commands = [
                    ["measure", "--frames", "10"], ["bench", "joins"], ["bench", "viewers", "--seconds", "2"],
                ]
                try await concurrently(commands) { command in
                    for stream in [[url], ["--url", url]] {
                        let (outcome, answer) = try await run(command + stream + ["--fail-if", "lost>1000000"])
                        let origin = try #require(answer, "\(command): \(outcome.diagnostics)")
                        #expect(outcome.status == 0 && origin.verdict.exitStatus == 0, "\(outcome.diagnostics)")
                        #expect(origin.verdict.outcome == "passed" && origin.transport == "udp")
                        #expect(origin.arguments.starts(with: command + stream))
                        #expect(
                            !origin.version.isEmpty && origin.host.kernel.hasPrefix("Linux ")
                                && origin.host.processors > 0)
                    }
                    let (failed, answer) = try await run(command + [url, "--fail-if", "lost>=0"])
                    #expect(
                        failed.status == 2 && failed.errors.hasPrefix("apus: lost>=0: the value is "),
                        "\(failed.diagnostics)")
                    #expect(answer?.verdict.outcome == "failed" && answer?.verdict.reasons.count == 1)
                    for wrong in [["--fail-if", "nonsense>0"], ["--url", url], ["--transport", "pigeon"]] {
                        #expect(try await run(command + [url] + wrong).0.status == 64)
                    }
                }
            }
        }

        @Test func anErrorIsAlsoJSONAndContainsNoPassword() async throws {
            let url = "rtsp://vIewer:sesAme@127.0.0.1:\(try LoopbackSocket.freePort())/cam"
            for command in [
                ["measure", url], ["bench", "joins", url], ["bench", "viewers", "--seconds", "1", "--url=\(url)"],
            ] {
                let (outcome, answer) = try await run(command)
                let origin = try #require(answer, "\(outcome.diagnostics)")
                #expect(outcome.status == 1 && origin.verdict.exitStatus == 1 && origin.verdict.outcome == "error")
                #expect(origin.verdict.reasons.first?.contains("Connection refused") == true)
                #expect(
                    (origin.error != nil) == (command[0] == "measure"), "a bench reports the failed sessions instead")
                #expect(!outcome.text.contains("sesAme") && !outcome.errors.contains("sesAme"))
            }
        }

        @Test func eachBenchWritesItsTableAndPlot() async throws {
            let folder = try TemporaryFolder()
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let benches = [
                    ("viewers", [server.url(), "--count", "3", "--seconds", "3"], 3),
                    ("joins", [server.url(), "--count", "2", "--stay-ms", "0", "--pause-ms", "0"], 2),
                    ("encoding", ["--width", "320", "--height", "240", "--seconds", "1"], 20),
                    ("limit", ["--count", "3", "--seconds", "0.2"], 12),
                ]
                for (bench, arguments, rows) in benches {
                    let (table, plot) = (folder.file("\(bench).csv"), folder.file("\(bench).svg"))
                    let files = ["--csv", table] + (bench == "limit" ? [] : ["--plot", plot])
                    let outcome = try await Command.run(
                        [ServerProcess.binary(), "bench", bench] + arguments + files, within: 40)
                    #expect(outcome.status == 0 || outcome.status == 1, "\(outcome.diagnostics)")
                    let lines = String(decoding: folder.bytes("\(bench).csv"), as: UTF8.self).split(separator: "\n")
                    #expect(lines.count > rows, "\(bench): \(lines)")
                    let columns = lines.first?.split(separator: ",").count ?? 0
                    #expect(
                        lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == columns }
                    )
                    guard bench != "limit" else { continue }
                    let drawing = String(decoding: folder.bytes("\(bench).svg"), as: UTF8.self)
                    #expect(drawing.hasSuffix("</svg>\n") && drawing.contains("p50"), "\(bench)")
                }
            }
        }

        private func expectAllCounted(at url: String, over transport: [String]) async throws {
            let outcome = try await Command.run(
                [ServerProcess.binary(), "bench", "viewers", "--url", url, "--count", "3"]
                    + ["--seconds", "4", "--json", "--transport"] + transport, within: 30)
            #expect(outcome.status == 0, "\(transport): \(outcome.diagnostics)")
            let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
            #expect(report.established == 3, "\(transport)")
            // At least three seconds with 30 frames and 46 audio units each, of which one is after the last join.
            #expect(Double(report.wholeUnits) > 3 * 3 * 76 / Sanitizer.patience, "\(transport)")
            #expect(report.packets > report.wholeUnits, "\(transport)")
            #expect(report.gaps + report.lost + report.duplicates + report.reordered == 0, "\(transport)")
            #expect(report.brokenUnits == 0, "\(transport)")
            #expect(Double(report.captureToArrival.map(\.count) ?? 0) > 3 * 30 / Sanitizer.patience, "\(transport)")
            let trains = transport[0] == "tcp" ? nil : transport.count > 1 ? "cut" : "whole"
            #expect(report.trains == trains, "\(transport)")
        }
    }
}

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `apus measure` and `apus bench` over WebRTC.
    @Suite(.serialized, .exclusive)
    struct MeasuringWHEP {
        /// Runs `body` with a server and the address of the WHEP endpoint of `/cam`, the test card.
        private func withEndpoint(
            paths: String = "cam: { source: testcard }", _ body: (ServerProcess, String) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let port = try LoopbackSocket.freePort()
            try folder.write(
                """
                webrtc: { serve: yes, port: \(port), singlePort: yes }
                access: { wrongPasswordMilliseconds: 0 }
                users: { ann: { password: sesAme } }
                paths: { \(paths) }

                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                try await body(server, "http://ann:sesAme@127.0.0.1:\(server.httpPort)/cam/whep")
            }
        }

        @Test func theTestCardIsMeasuredAsOverRTSP() async throws {
            try await withEndpoint { _, url in
                let (outcome, answer) = try await Measure.report(url, ["--seconds", "4"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let report = try #require(answer)
                #expect(report.clocks.relation == "same machine" && report.clocks.error == 0)
                // A busy machine may draw fewer frames.
                #expect(Double(report.frames.received) > 4 * 30 / (2 * Sanitizer.patience))
                #expect(report.frames.decoded == report.frames.received && report.frames.broken == 0)
                #expect(report.captureTimes.unknown == 0 && report.captureTimes.disbelievedSEI.isEmpty)
                #expect(report.packets.lost == 0 && report.packets.repair == "requested")
                let (arrival, decoded) = (report.latency.captureToArrival, report.latency.captureToDecoded)
                #expect(arrival?.count == report.frames.received && decoded?.count == report.frames.received)
                #expect(arrival.map { $0.p50 > 0 && $0.p50 < 1_000 } == true)
                #expect((decoded?.p50 ?? 0) > (arrival?.p50 ?? .infinity))
                #expect(report.soundOffset != nil && report.videoBitsPerSecond > 100_000)
                // The kernel may have the first packet before the end of the handshake is read.
                #expect(report.start["connected"].map { $0 < report.start["playAnswered"] ?? 0 } == true)
                let order = ["connected", "firstPacket", "firstDecodable", "firstDecoded"]
                let instants = order.compactMap { report.start[$0] }
                #expect(instants.count == order.count && zip(instants, instants.dropFirst()).allSatisfy { $0 <= $1 })
            }
        }

        @Test func theTableNamesTheTransport() async throws {
            try await withEndpoint { _, url in
                let outcome = try await Measure.run(url, ["--frames", "30"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                #expect(outcome.text.contains("H264 over webrtc") && outcome.text.contains("handshake complete"))
                #expect(!outcome.text.contains("sesAme"))
            }
        }

        /// Browsers cannot show B-frames; what Apus encodes has none.
        @Test func theSubstreamOfAStreamWithBFramesPlays() async throws {
            let paths = """
                cam: { source: testcard }, yard: { source: "\(try await Clip.bFrames.path())" },
                yard/web: { source: "stream:yard", video: { width: 640, height: 360, frameRate: 25 } }
                """
            try await withEndpoint(paths: paths) { _, url in
                let refused = try await Measure.run(url.replacing("/cam/", with: "/yard/"), ["--frames", "30"])
                #expect(refused.status == 1 && refused.errors.contains("is encoded without them"), "\(refused.errors)")
                let (outcome, answer) = try await Measure.report(
                    url.replacing("/cam/", with: "/yard/web/"), ["--seconds", "3"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let frames = try #require(answer).frames
                #expect(Double(frames.received) > 3 * 25 / (2 * Sanitizer.patience))
                #expect(frames.decoded == frames.received && frames.broken == 0)
            }
        }

        @Test func everyPacketOfEachViewerIsCounted() async throws {
            try await withEndpoint { _, url in
                struct Report: Decodable {
                    let transport: String
                    let established: Int
                    let gaps, lost, brokenUnits, wholeUnits: Int
                    let connectToRandomAccess: Quantiles?
                    let captureToArrival: Quantiles?

                    struct Quantiles: Decodable {
                        let count: Int
                        let max: Double
                    }
                }
                for more in [[], ["--decrypt-all"], ["--cut"], ["--churn", "2"]] {
                    let arguments = ["--count", "5", "--seconds", "5", "--ramp", "50", "--fail-on-gap", "--json"]
                    let outcome = try await Command.run(
                        [ServerProcess.binary(), "bench", "viewers", "--url", url] + arguments + more, within: 40)
                    #expect(outcome.status == 0, "\(outcome.diagnostics)")
                    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
                    #expect(report.transport == "webrtc" && report.established == 5)
                    #expect(report.gaps == 0 && report.lost == 0 && report.brokenUnits == 0)
                    #expect(Double(report.wholeUnits) > 5 * 2 * 60 / Sanitizer.patience)
                    // The time to the first frame is known for each viewer.
                    #expect(report.connectToRandomAccess?.count == 5)
                    #expect((report.captureToArrival?.count ?? 0) > 0)
                }
                let joins = try await Command.run(
                    [ServerProcess.binary(), "bench", "joins", url, "--count", "2", "--stay-ms", "0"], within: 40)
                #expect(joins.status == 0 && joins.text.contains("2 over webrtc, 2 received a frame"))
            }
        }

        @Test func failuresAreReportedInOneLine() async throws {
            try await withEndpoint { server, url in
                let cases = [
                    (url.replacing("/cam/", with: "/cem/"), "404 Not Found: "),
                    (url.replacing("sesAme", with: "wrong"), "wrong user or password"),
                    (url.replacing("ann:sesAme@", with: ""), "the server requires a user and a password"),
                    ("http://127.0.0.1:\(try LoopbackSocket.freePort())/whep", "Connection refused"),
                ]
                for (url, reason) in cases {
                    let outcome = try await Measure.run(url, ["--timeout", "5"])
                    #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(outcome.diagnostics)")
                    #expect(outcome.errors.split(separator: "\n").count == 1)
                    #expect(!outcome.errors.contains("sesAme"))
                }
                for wrong in [["--transport", "tcp"], ["--transport", "udp"]] {
                    #expect(try await Measure.run(url, wrong).status == 64)
                }
                for wrong in [["--stalled", "1"], ["--half-rate", "1"], ["--segments"], ["--transport", "tcp"]] {
                    let bench = [try ServerProcess.binary(), "bench", "viewers", url] + wrong
                    #expect(try await Command.run(bench, within: 20).status == 64)
                }
            }
        }
    }
}

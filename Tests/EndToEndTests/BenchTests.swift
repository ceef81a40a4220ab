import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What `apus bench viewers` counts.
    @Suite(.serialized, .alone)
    struct Bench {
        /// The part of its report that is looked at.
        private struct Report: Decodable {
            let established: Int
            let packets, gaps, lost, duplicates, reordered, wholeUnits, brokenUnits: Int
            let captureToArrival: Quantiles?
            let trains: String?

            struct Quantiles: Decodable {
                let count: Int
                let max: Double
            }
        }

        @Test func everyPacketIsCountedHoweverItComes() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isOnAir())
                let url = server.url()
                try await atOnce([["tcp"], ["udp"], ["udp", "--cut"]]) { try await expectAllCounted(at: url, over: $0) }
            }
        }

        private func expectAllCounted(at url: String, over transport: [String]) async throws {
            let outcome = try await Command.run(
                [ServerProcess.binary(), "bench", "viewers", "--url", url, "--count", "3"]
                    + ["--seconds", "4", "--json", "--transport"] + transport, within: 30)
            #expect(outcome.status == 0, "\(transport): \(outcome.complaint)")
            let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
            #expect(report.established == 3, "\(transport)")
            // Three seconds at least, of 30 pictures and 46 sounds, and one of those after which all had joined.
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

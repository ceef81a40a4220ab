import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What `apus bench viewers` counts.
    @Suite(.serialized)
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

        @Test(arguments: [["tcp"], ["udp"], ["udp", "--cut"]])
        func everyPacketIsCountedHoweverItComes(_ transport: [String]) async throws {
            let report = try await withServer("testcard") { server in
                #expect(try await server.isOnAir())
                let outcome = try await Command.run(
                    [ServerProcess.binary(), "bench", "viewers", "--url", server.url(), "--count", "3"]
                        + ["--seconds", "4", "--json", "--transport"] + transport, within: 30)
                #expect(outcome.status == 0, "\(outcome.complaint)")
                return try JSONDecoder().decode(Report.self, from: Data(outcome.output))
            }
            #expect(report.established == 3)
            // Three seconds at least, of 30 pictures and 46 sounds, and one of those after which all had joined.
            #expect(Double(report.wholeUnits) > 3 * 3 * 76 / Sanitizer.patience)
            #expect(report.packets > report.wholeUnits)
            #expect(report.gaps + report.lost + report.duplicates + report.reordered == 0)
            #expect(report.brokenUnits == 0)
            #expect(Double(report.captureToArrival.map(\.count) ?? 0) > 3 * 30 / Sanitizer.patience)
            #expect(report.trains == (transport[0] == "tcp" ? nil : transport.count > 1 ? "cut" : "whole"))
        }
    }
}

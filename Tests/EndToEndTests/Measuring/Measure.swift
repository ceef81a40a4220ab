import Foundation
import TestSupport

/// Runs `apus measure`.
enum Measure {
    /// The tested part of the report.
    struct Report: Decodable {
        let frames: Frames
        let clocks: Clocks
        let captureTimes: CaptureTimes
        let latency: Latency
        let packets: Packets
        let start: [String: Double]
        let soundOffset: Double?
        let prematureEnd: String?
        let jitter: Jitter
        let videoBitsPerSecond: Double
        let groups: [String: Double]?

        struct Frames: Decodable {
            let received, decoded, keys, broken, passedOver: Int
            let perSecond: Double
        }

        struct Clocks: Decodable {
            let relation: String
            let offset: Double?
            let error: Double?
        }

        struct CaptureTimes: Decodable {
            let sei, seiAndRTP, senderReports, unknown: Int
            let disbelievedSEI: [String: Int]
            let seiAfterSenderReports: Quantiles?
        }

        struct Latency: Decodable {
            let captureToArrival: Quantiles?
            let captureToDecoded: Quantiles?
            let lateness: Quantiles?
        }

        struct Quantiles: Decodable {
            let count: Int
            let p50, max: Double
        }

        struct Jitter: Decodable {
            let spacing: Quantiles?
        }

        struct Packets: Decodable {
            let received, lost, lostBeforeRepair, repaired: Int
            let repair: String
        }
    }

    static func run(_ url: String, _ arguments: [String]) async throws -> Command.Outcome {
        try await Command.run([ServerProcess.binary(), "measure", url] + arguments, within: 40)
    }

    /// Runs `apus measure` and parses its JSON report.
    static func report(_ url: String, _ arguments: [String]) async throws -> (Command.Outcome, Report?) {
        let outcome = try await run(url, arguments + ["--json"])
        // The report is missing if the measurement failed; the test then shows the reason.
        return (outcome, try? JSONDecoder().decode(Report.self, from: Data(outcome.output)))
    }
}

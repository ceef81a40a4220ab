import Foundation
import TestSupport

/// `apus measure`, as a script runs it.
enum Measure {
    /// The part of its report that tests look at.
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
            let received, lost: Int
        }
    }

    static func run(_ url: String, _ arguments: [String]) async throws -> Command.Outcome {
        try await Command.run([ServerProcess.binary(), "measure", url] + arguments, within: 40)
    }

    /// With the report as JSON.
    static func report(_ url: String, _ arguments: [String]) async throws -> (Command.Outcome, Report?) {
        let outcome = try await run(url, arguments + ["--json"])
        // Without a report there is none to read; the tests look at why.
        return (outcome, try? JSONDecoder().decode(Report.self, from: Data(outcome.output)))
    }
}

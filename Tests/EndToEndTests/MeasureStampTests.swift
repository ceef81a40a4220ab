import Media
import TestSupport
import Testing

extension EndToEnd {
    /// Capture times in SEI: believed where they can be true.
    @Suite(.serialized)
    struct MeasuringStamps {
        @Test func honestStampsTellTheLatencyOfThisMachine() async throws {
            let server = try StampedReplay.server(try await StampedReplay.film()) { _ in }
            defer { server.stop() }
            let (outcome, answer) = try await Measure.report(server.url, ["--frames", "30", "--transport", "tcp"])
            #expect(outcome.status == 0, "\(outcome.complaint)")
            let report = try #require(answer)
            #expect(report.clocks.relation == "same machine")
            #expect(report.captureTimes.sei == report.frames.received)
            #expect(report.latency.captureToArrival.map { $0.p50 > 0 && $0.max < 10_000 } == true)
        }

        struct Lie: Sendable, CustomTestStringConvertible {
            let reason: String
            let tell: @Sendable (inout CaptureTimestamp) -> Void
            var testDescription: String { reason }
        }

        static let lies = [
            Lie(reason: "in the future") { stamp in
                stamp.monotonic = stamp.monotonic + 5_000_000_000
                stamp.wallClock = NTPTime(unixNanoseconds: stamp.wallClock.unixNanoseconds + 5_000_000_000)
            },
            Lie(reason: "more than a minute old") { stamp in
                stamp.monotonic = stamp.monotonic + -90_000_000_000
                stamp.wallClock = NTPTime(unixNanoseconds: stamp.wallClock.unixNanoseconds - 90_000_000_000)
            },
            Lie(reason: "a negative time") { stamp in
                stamp.monotonic = MonotonicTime(nanoseconds: .min)
                stamp.wallClock = NTPTime(rawValue: 0)
            },
            Lie(reason: "in the future") { stamp in
                stamp.monotonic = MonotonicTime(nanoseconds: .max)
                stamp.wallClock = NTPTime(rawValue: .max)
            },
        ]

        /// There are no sender reports either, so nothing is left to go by: latency is unknown, and passes no threshold.
        @Test(arguments: lies)
        func liesAreToldAndCountForNothing(lie: Lie) async throws {
            let server = try StampedReplay.server(try await StampedReplay.film(), lie.tell)
            defer { server.stop() }
            let (outcome, answer) = try await Measure.report(
                server.url, ["--frames", "15", "--transport", "tcp", "--fail-if", "p99>10s"])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("p99>10s cannot be judged"), "\(outcome.complaint)")
            let report = try #require(answer)
            #expect(report.captureTimes.disbelievedSEI[lie.reason] == report.frames.received)
            #expect(report.captureTimes.unknown == report.frames.received)
            #expect(report.latency.captureToArrival == nil && report.latency.lateness != nil)
        }
    }
}

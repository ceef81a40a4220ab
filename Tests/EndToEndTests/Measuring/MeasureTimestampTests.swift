import Media
import TestSupport
import Testing

extension EndToEnd {
    /// Capture times in SEI are accepted only if they are plausible.
    @Suite(.serialized, .exclusive)
    struct MeasuringTimestamps {
        @Test func correctTimestampsYieldTheLatency() async throws {
            let server = try TimestampedReplay.server(try await TimestampedReplay.clip()) { _ in }
            defer { server.stop() }
            let (outcome, answer) = try await Measure.report(server.url, ["--frames", "30", "--transport", "tcp"])
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            let report = try #require(answer)
            #expect(report.clocks.relation == "same machine")
            #expect(report.captureTimes.sei == report.frames.received)
            #expect(report.latency.captureToArrival.map { $0.p50 > 0 && $0.max < 10_000 } == true)
        }

        struct WrongTimestamp: Sendable {
            let reason: String
            let change: @Sendable (inout CaptureTimestamp) -> Void
        }

        static let wrongTimestamps = [
            WrongTimestamp(reason: "in the future") { timestamp in
                timestamp.monotonic = timestamp.monotonic + 5_000_000_000
                timestamp.wallClock = NTPTime(unixNanoseconds: timestamp.wallClock.unixNanoseconds + 5_000_000_000)
            },
            WrongTimestamp(reason: "more than a minute old") { timestamp in
                timestamp.monotonic = timestamp.monotonic + -90_000_000_000
                timestamp.wallClock = NTPTime(unixNanoseconds: timestamp.wallClock.unixNanoseconds - 90_000_000_000)
            },
            WrongTimestamp(reason: "a negative time") { timestamp in
                timestamp.monotonic = MonotonicTime(nanoseconds: .min)
                timestamp.wallClock = NTPTime(rawValue: 0)
            },
            WrongTimestamp(reason: "in the future") { timestamp in
                timestamp.monotonic = MonotonicTime(nanoseconds: .max)
                timestamp.wallClock = NTPTime(rawValue: .max)
            },
        ]

        /// There are no sender reports either, so that the latency is unknown and no threshold passes.
        @Test func wrongTimestampsAreReportedAndIgnored() async throws {
            let clip = try await TimestampedReplay.clip()
            try await concurrently(Self.wrongTimestamps) { try await expectRejection(in: $0, of: clip) }
        }

        private func expectRejection(in wrong: WrongTimestamp, of clip: [AccessUnit]) async throws {
            let server = try TimestampedReplay.server(clip, wrong.change)
            defer { server.stop() }
            let (outcome, answer) = try await Measure.report(
                server.url, ["--frames", "15", "--transport", "tcp", "--fail-if", "p99>10s"])
            #expect(outcome.status == 2, "\(wrong.reason)")
            #expect(outcome.errors.contains("p99>10s cannot be evaluated"), "\(wrong.reason): \(outcome.diagnostics)")
            let report = try #require(answer)
            #expect(report.captureTimes.disbelievedSEI[wrong.reason] == report.frames.received, "\(wrong.reason)")
            #expect(report.captureTimes.unknown == report.frames.received, "\(wrong.reason)")
            #expect(report.latency.captureToArrival == nil && report.latency.lateness != nil, "\(wrong.reason)")
        }
    }
}

import Media
import TestSupport
import Testing

extension EndToEnd {
    /// Capture times in SEI: believed where they can be true.
    @Suite(.serialized, .alone)
    struct MeasuringStamps {
        @Test func honestStampsTellTheLatencyOfThisMachine() async throws {
            let server = try StampedReplay.server(try await StampedReplay.film()) { _ in }
            defer { server.stop() }
            let (outcome, answer) = try await Measure.report(server.url, ["--frames", "30", "--transport", "tcp"])
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            let report = try #require(answer)
            #expect(report.clocks.relation == "same machine")
            #expect(report.captureTimes.sei == report.frames.received)
            #expect(report.latency.captureToArrival.map { $0.p50 > 0 && $0.max < 10_000 } == true)
        }

        struct Lie: Sendable {
            let reason: String
            let tell: @Sendable (inout CaptureTimestamp) -> Void
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
        @Test func liesAreToldAndCountForNothing() async throws {
            let film = try await StampedReplay.film()
            try await concurrently(Self.lies) { try await expectDisbelief(in: $0, of: film) }
        }

        private func expectDisbelief(in lie: Lie, of film: [AccessUnit]) async throws {
            let server = try StampedReplay.server(film, lie.tell)
            defer { server.stop() }
            let (outcome, answer) = try await Measure.report(
                server.url, ["--frames", "15", "--transport", "tcp", "--fail-if", "p99>10s"])
            #expect(outcome.status == 2, "\(lie.reason)")
            #expect(outcome.errors.contains("p99>10s cannot be evaluated"), "\(lie.reason): \(outcome.diagnostics)")
            let report = try #require(answer)
            #expect(report.captureTimes.disbelievedSEI[lie.reason] == report.frames.received, "\(lie.reason)")
            #expect(report.captureTimes.unknown == report.frames.received, "\(lie.reason)")
            #expect(report.latency.captureToArrival == nil && report.latency.lateness != nil, "\(lie.reason)")
        }
    }
}

import Media
import TestSupport
import Testing

@testable import Streams

/// Where the frames of a stream spend their time.
@Suite struct LatencyTraceTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func instant(_ milliseconds: Int64) -> MonotonicTime { start.advanced(byMilliseconds: milliseconds) }

    /// A frame captured at `milliseconds`: 2 ms until the encoder, 8 ms in it, 1 ms until packaged.
    private func publish(at milliseconds: Int64, isEncodedHere: Bool = true, to latencyTrace: LatencyTrace) {
        var frameTrace = FrameTrace(captured: instant(milliseconds))
        if isEncodedHere {
            (frameTrace.encoderIn, frameTrace.encoderOut) = (instant(milliseconds + 2), instant(milliseconds + 10))
        }
        latencyTrace.began(frameTrace)
        latencyTrace.packaged(frameTrace, at: instant(milliseconds + 11))
    }

    private func medians(_ summary: LatencyTrace.Summary) -> [Stage: Int] {
        summary.mapValues { Int($0.p50.rounded()) }
    }

    @Test func stagesAddUpToTheWhole() {
        let latencyTrace = LatencyTrace()
        for frame in 0..<100 as Range<Int64> {
            publish(at: frame * 40, to: latencyTrace)
            latencyTrace.sent(
                captured: instant(frame * 40), first: instant(frame * 40 + 14), last: instant(frame * 40 + 19))
        }
        let medians = medians(latencyTrace.summary)
        #expect(medians == [.capture: 2, .encoding: 8, .packaging: 1, .waiting: 3, .sending: 5, .whole: 19])
    }

    /// A transcoded file: its frames are encoded 100 ms before they are due.
    @Test func theWholeIncludesTheEncodingOfAFrameThatWasEncodedAhead() {
        let latencyTrace = LatencyTrace()
        for frame in 0..<100 as Range<Int64> {
            var frameTrace = FrameTrace(captured: instant(frame * 40 + 100))
            (frameTrace.encoderIn, frameTrace.encoderOut) = (instant(frame * 40), instant(frame * 40 + 8))
            latencyTrace.began(frameTrace)
            latencyTrace.packaged(frameTrace, at: instant(frame * 40 + 101))
            latencyTrace.sent(
                captured: frameTrace.captured, first: instant(frame * 40 + 104), last: instant(frame * 40 + 109))
        }
        #expect(
            medians(latencyTrace.summary) == [.encoding: 8, .packaging: 1, .waiting: 3, .sending: 5, .whole: 8 + 9])
    }

    @Test func aFrameThatIsNotEncodedHereHasNoEncodingStage() {
        let latencyTrace = LatencyTrace()
        publish(at: 0, isEncodedHere: false, to: latencyTrace)
        #expect(medians(latencyTrace.summary) == [.packaging: 11])
    }

    @Test func eachLoopCountsAndTheTraceKeepsTheFirstAndLastSendTime() throws {
        let latencyTrace = LatencyTrace()
        publish(at: 0, to: latencyTrace)
        latencyTrace.sent(captured: instant(0), first: instant(13), last: instant(15))
        latencyTrace.sent(captured: instant(0), first: instant(12), last: instant(14))
        let frame = try #require(latencyTrace.recent.first)
        #expect((frame.firstSent, frame.lastSent) == (instant(12), instant(15)))
        #expect(latencyTrace.summary[.sending]?.count == 2)
    }

    @Test func anUnknownFrameIsNotCounted() {
        let latencyTrace = LatencyTrace()
        publish(at: 0, to: latencyTrace)
        latencyTrace.sent(captured: instant(1), first: instant(12), last: instant(14))
        #expect(latencyTrace.summary[.whole] == nil)
    }

    @Test func takingASummaryResetsTheNextOneButNotTheTotal() {
        let latencyTrace = LatencyTrace()
        publish(at: 0, to: latencyTrace)
        #expect(latencyTrace.takeSummary()[.encoding]?.count == 1)
        #expect(latencyTrace.takeSummary().isEmpty)
        #expect(latencyTrace.summary[.encoding]?.count == 1)
    }

    @Test func onlyTheLastTracesAreKept() {
        let latencyTrace = LatencyTrace()
        for frame in 0..<2_000 as Range<Int64> { publish(at: frame * 40, to: latencyTrace) }
        #expect(latencyTrace.recent.count == LatencyTrace.recentCount)
        #expect(latencyTrace.recent.last?.captured == instant(1_999 * 40))
        #expect(latencyTrace.summary[.packaging]?.count == 2_000)
    }

    /// ThreadSanitizer reported a write to the empty array that all threads share.
    @Test func emptyTracesMayBeReadConcurrently() async throws {
        try await concurrently(Array(0..<100)) { _ in #expect(LatencyTrace().recent.isEmpty) }
    }
}

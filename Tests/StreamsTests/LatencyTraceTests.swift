import Media
import TestSupport
import Testing

@testable import Streams

/// What is told of the way of pictures.
@Suite struct LatencyTraceTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func instant(_ milliseconds: Int64) -> MonotonicTime { start.advanced(byMilliseconds: milliseconds) }

    /// A picture that is captured at `milliseconds`: 2 ms to the encoder, 8 in it, 1 to be packaged.
    private func publish(at milliseconds: Int64, isCoded: Bool = true, to latencyTrace: LatencyTrace) {
        var frameTrace = FrameTrace(captured: instant(milliseconds))
        if isCoded {
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
        for picture in 0..<100 as Range<Int64> {
            publish(at: picture * 40, to: latencyTrace)
            latencyTrace.sent(
                captured: instant(picture * 40), first: instant(picture * 40 + 14), last: instant(picture * 40 + 19))
        }
        let medians = medians(latencyTrace.summary)
        #expect(medians == [.capture: 2, .encoding: 8, .packaging: 1, .waiting: 3, .sending: 5, .whole: 19])
    }

    /// A file that is transcoded: its pictures are coded 100 ms before their instant.
    @Test func theWholeOfAPictureThatWasCodedAheadIncludesItsCoding() {
        let latencyTrace = LatencyTrace()
        for picture in 0..<100 as Range<Int64> {
            var frameTrace = FrameTrace(captured: instant(picture * 40 + 100))
            (frameTrace.encoderIn, frameTrace.encoderOut) = (instant(picture * 40), instant(picture * 40 + 8))
            latencyTrace.began(frameTrace)
            latencyTrace.packaged(frameTrace, at: instant(picture * 40 + 101))
            latencyTrace.sent(
                captured: frameTrace.captured, first: instant(picture * 40 + 104), last: instant(picture * 40 + 109))
        }
        #expect(
            medians(latencyTrace.summary) == [.encoding: 8, .packaging: 1, .waiting: 3, .sending: 5, .whole: 8 + 9])
    }

    @Test func whatIsNotCodedHereHasNoEncoder() {
        let latencyTrace = LatencyTrace()
        publish(at: 0, isCoded: false, to: latencyTrace)
        #expect(medians(latencyTrace.summary) == [.packaging: 11])
    }

    @Test func eachLoopCountsAndThePictureKeepsTheFirstAndTheLastOfThem() throws {
        let latencyTrace = LatencyTrace()
        publish(at: 0, to: latencyTrace)
        latencyTrace.sent(captured: instant(0), first: instant(13), last: instant(15))
        latencyTrace.sent(captured: instant(0), first: instant(12), last: instant(14))
        let picture = try #require(latencyTrace.recent.first)
        #expect((picture.firstSent, picture.lastSent) == (instant(12), instant(15)))
        #expect(latencyTrace.summary[.sending]?.count == 2)
    }

    @Test func whatWasNeverBegunIsNotCounted() {
        let latencyTrace = LatencyTrace()
        publish(at: 0, to: latencyTrace)
        latencyTrace.sent(captured: instant(1), first: instant(12), last: instant(14))
        #expect(latencyTrace.summary[.whole] == nil)
    }

    @Test func aLookForgetsForTheNextAndNotForTheWhole() {
        let latencyTrace = LatencyTrace()
        publish(at: 0, to: latencyTrace)
        #expect(latencyTrace.takeSummary()[.encoding]?.count == 1)
        #expect(latencyTrace.takeSummary().isEmpty)
        #expect(latencyTrace.summary[.encoding]?.count == 1)
    }

    @Test func onlyTheLastAreKept() {
        let latencyTrace = LatencyTrace()
        for picture in 0..<2_000 as Range<Int64> { publish(at: picture * 40, to: latencyTrace) }
        #expect(latencyTrace.recent.count == LatencyTrace.recentCount)
        #expect(latencyTrace.recent.last?.captured == instant(1_999 * 40))
        #expect(latencyTrace.summary[.packaging]?.count == 2_000)
    }

    /// ThreadSanitizer saw an array of none written into: all threads share one.
    @Test func ofNoneThreadsMayTellAtTheSameTime() async throws {
        try await concurrently(Array(0..<100)) { _ in #expect(LatencyTrace().recent.isEmpty) }
    }
}

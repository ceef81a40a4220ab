import Media
import TestSupport
import Testing

@testable import Streams

/// What is told of the way of pictures.
@Suite struct JourneysTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func instant(_ milliseconds: Int64) -> MonotonicTime { start.advanced(byMilliseconds: milliseconds) }

    /// A picture that is captured at `milliseconds`: 2 ms to the encoder, 8 in it, 1 to be packaged.
    private func publish(at milliseconds: Int64, isCoded: Bool = true, to journeys: Journeys) {
        var journey = Journey(captured: instant(milliseconds))
        if isCoded { (journey.encoderIn, journey.encoderOut) = (instant(milliseconds + 2), instant(milliseconds + 10)) }
        journeys.began(journey)
        journeys.packaged(journey, at: instant(milliseconds + 11))
    }

    private func medians(_ summary: Journeys.Summary) -> [Stage: Int] {
        summary.mapValues { Int($0.p50.rounded()) }
    }

    @Test func stagesAddUpToTheWhole() {
        let journeys = Journeys()
        for picture in 0..<100 as Range<Int64> {
            publish(at: picture * 40, to: journeys)
            journeys.sent(
                captured: instant(picture * 40), first: instant(picture * 40 + 14), last: instant(picture * 40 + 19))
        }
        let medians = medians(journeys.summary)
        #expect(medians == [.capture: 2, .encoding: 8, .packaging: 1, .waiting: 3, .sending: 5, .whole: 19])
    }

    /// A file that is transcoded: its pictures are coded 100 ms before their instant.
    @Test func theWholeOfAPictureThatWasCodedAheadIncludesItsCoding() {
        let journeys = Journeys()
        for picture in 0..<100 as Range<Int64> {
            var journey = Journey(captured: instant(picture * 40 + 100))
            (journey.encoderIn, journey.encoderOut) = (instant(picture * 40), instant(picture * 40 + 8))
            journeys.began(journey)
            journeys.packaged(journey, at: instant(picture * 40 + 101))
            journeys.sent(
                captured: journey.captured, first: instant(picture * 40 + 104), last: instant(picture * 40 + 109))
        }
        #expect(
            medians(journeys.summary) == [.encoding: 8, .packaging: 1, .waiting: 3, .sending: 5, .whole: 8 + 9])
    }

    @Test func whatIsNotCodedHereHasNoEncoder() {
        let journeys = Journeys()
        publish(at: 0, isCoded: false, to: journeys)
        #expect(medians(journeys.summary) == [.packaging: 11])
    }

    @Test func eachLoopCountsAndThePictureKeepsTheFirstAndTheLastOfThem() throws {
        let journeys = Journeys()
        publish(at: 0, to: journeys)
        journeys.sent(captured: instant(0), first: instant(13), last: instant(15))
        journeys.sent(captured: instant(0), first: instant(12), last: instant(14))
        let picture = try #require(journeys.recent.first)
        #expect((picture.firstSent, picture.lastSent) == (instant(12), instant(15)))
        #expect(journeys.summary[.sending]?.count == 2)
    }

    @Test func whatWasNeverBegunIsNotCounted() {
        let journeys = Journeys()
        publish(at: 0, to: journeys)
        journeys.sent(captured: instant(1), first: instant(12), last: instant(14))
        #expect(journeys.summary[.whole] == nil)
    }

    @Test func aLookForgetsForTheNextAndNotForTheWhole() {
        let journeys = Journeys()
        publish(at: 0, to: journeys)
        #expect(journeys.takeSummary()[.encoding]?.count == 1)
        #expect(journeys.takeSummary().isEmpty)
        #expect(journeys.summary[.encoding]?.count == 1)
    }

    @Test func onlyTheLastAreKept() {
        let journeys = Journeys()
        for picture in 0..<2_000 as Range<Int64> { publish(at: picture * 40, to: journeys) }
        #expect(journeys.recent.count == Journeys.recentCount)
        #expect(journeys.recent.last?.captured == instant(1_999 * 40))
        #expect(journeys.summary[.packaging]?.count == 2_000)
    }

    /// ThreadSanitizer saw an array of none written into: all threads share one.
    @Test func ofNoneThreadsMayTellAtTheSameTime() async throws {
        try await atOnce(Array(0..<100)) { _ in #expect(Journeys().recent.isEmpty) }
    }
}

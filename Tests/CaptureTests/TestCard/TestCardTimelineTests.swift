import Codecs
import Media
import Testing

@testable import Capture

@Suite struct TestCardTimelineTests {
    private static let rates: [FrameRate] = [(30, 1), (25, 1), (30_000, 1_001), (60, 1), (1, 10), (15, 2)]
        .compactMap { FrameRate($0.0, $0.1) }

    private func timeline(_ rate: FrameRate, now: Int64 = 5_250_000_000) -> TestCardTimeline {
        TestCardTimeline(frameRate: rate, now: now, wallNanoseconds: 1_763_689_871_250_000_000)
    }

    @Test func theGridBeginsAtAWholeSecondOfTheWallClock() {
        #expect(timeline(.thirty).origin == 5_000_000_000)
        #expect(timeline(.thirty, now: 100_000_000).origin == -150_000_000)
    }

    @Test(arguments: rates)
    func theFrameAtAnInstantIsTheLastThatHasBegun(rate: FrameRate) {
        let timeline = timeline(rate)
        #expect(timeline.lastFrame(at: timeline.origin - 1) == -1)
        for number in Array(Int64(0)..<200) + [1_000_000, 500_000_000] {
            let instant = timeline.instant(ofFrame: number)
            #expect(timeline.lastFrame(at: instant) == number)
            #expect(timeline.lastFrame(at: instant - 1) == number - 1)
        }
    }

    @Test func presentationTimesAreExactMultiplesOfTheInterval() {
        let times = (0..<1000).map { timeline(.thirty).time(ofFrame: $0).ticks }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 3_000 })
    }

    @Test(arguments: rates)
    func mediaTimesAndInstantsAgreeToATick(rate: FrameRate) {
        let timeline = timeline(rate)
        for number: Int64 in [0, 1, 7, 100, 5_000_000] {
            let difference = timeline.instant(ofFrame: number) - timeline.time(ofFrame: number).nanoseconds
            #expect((-1...2 * 11_112).contains(difference))
        }
    }

    @Test func aFlashBeginsOnEveryWholeSecondOfTheWallClock() {
        let timeline = timeline(.thirty)
        let flashes = (Int64(0)..<100).filter { timeline.isFlash(frame: $0) }
        #expect(flashes == [0, 1, 2, 30, 31, 32, 60, 61, 62, 90, 91, 92])
        #expect(timeline.flashStart(at: timeline.origin + 2_500_000_000) == timeline.origin + 2_000_000_000)
    }

    @Test func ifNoFrameFallsOnTheSecondTheNextOneFlashes() throws {
        let timeline = timeline(try #require(FrameRate(30_000, 1_001)))
        for second: Int64 in 1..<100 {
            let wholeSecond = timeline.origin + second * 1_000_000_000
            let first = timeline.lastFrame(at: wholeSecond - 1) + 1
            #expect(timeline.isFlash(frame: first) && !timeline.isFlash(frame: first - 1))
            let start = timeline.instant(ofFrame: first)
            #expect(timeline.flashStart(at: start) == start)
            if start > wholeSecond { #expect(timeline.flashStart(at: start - 1) == nil) }
        }
    }

    @Test(arguments: [
        (0, "1970-01-01", "00:00:00.000"),
        (1_763_689_871_999_999_999, "2025-11-21", "01:51:11.999"),
        (951_782_400_000_000_000, "2000-02-29", "00:00:00.000"),
        (1_709_251_199_123_456_789, "2024-02-29", "23:59:59.123"),
        (4_107_542_400_000_000_000, "2100-03-01", "00:00:00.000"),
        (-1, "1969-12-31", "23:59:59.999"),
    ])
    func theClockShowsDateAndTime(nanoseconds: Int64, date: String, time: String) {
        let text = ClockText(unixNanoseconds: nanoseconds)
        #expect(text.date == date && text.time == time)
    }
}

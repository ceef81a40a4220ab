import Media
import TestSupport
import Testing

@testable import Capture

@Suite struct CameraTimelineTests {
    private static let epoch = MonotonicTime(nanoseconds: 10_000_000_000)

    private static var timeline: CameraTimeline { CameraTimeline(start: at(500), epoch: epoch, interval: .thirtieth) }

    private static func at(_ milliseconds: Int64) -> MonotonicTime { epoch.advanced(byMilliseconds: milliseconds) }

    @Test func theDriversTimeIsTheCaptureTime() {
        var timeline = Self.timeline
        let time = timeline.time(driver: Self.at(1000), now: Self.at(1040))
        #expect(time.ticks == 90_000)
        #expect(timeline.implausibleTimeCount == 0)
    }

    @Test func withoutAMonotonicDriverClockTheArrivalTimeIsUsed() {
        var timeline = Self.timeline
        let time = timeline.time(driver: nil, now: Self.at(1040))
        #expect(time.ticks == 93_600)
        #expect(timeline.implausibleTimeCount == 0)
    }

    @Test(arguments: [5000, 1074, 40, -10_000, -900_000_000_000])
    func anImpossibleTimeIsReplacedByTheArrivalAndCounted(driver: Int64) {
        var timeline = Self.timeline
        let time = timeline.time(driver: Self.at(driver), now: Self.at(1040))
        #expect(time.ticks == 93_600)
        #expect(timeline.implausibleTimeCount == 1)
    }

    @Test(arguments: [Int64.min, 0, -1, Int64.max])
    func noDriverTimeCausesAnOverflow(nanoseconds: Int64) {
        var timeline = Self.timeline
        let driver = MonotonicTime(nanoseconds: nanoseconds)
        let time = timeline.time(driver: driver, now: Self.at(1040))
        #expect(time.ticks == 93_600)
    }

    @Test func timesRiseEvenIfTheDriversDoNot() {
        var timeline = Self.timeline
        let times = [1000, 1033, 1033, 1020, 1066].map {
            timeline.time(driver: Self.at($0), now: Self.at(1100)).ticks
        }
        #expect(times == [90_000, 92_970, 99_000, 99_001, 99_002])
        #expect(timeline.implausibleTimeCount == 3)
    }

    /// A driver that delivers each frame 30 ms before the end of its exposure, and stamps it with that end.
    @Test func aDriverThatStampsFramesEarlyKeepsItsFrameSpacing() {
        var timeline = Self.timeline
        let late: [Int64] = [0, 4, 1, 9, 0, 25]
        let times = late.enumerated().map { index, late in
            let instant = 1000 + 40 * Int64(index)
            return timeline.time(driver: Self.at(instant + 30), now: Self.at(instant + late)).ticks
        }
        #expect(times == (0..<6).map { 90_000 + 3600 * $0 })
        #expect(timeline.implausibleTimeCount == 0)
    }

    @Test(arguments: UInt64(1)...20)
    func noCaptureTimeIsAfterTheArrivalEvenIfTheDriverStampsFramesEarly(seed: UInt64) {
        var timeline = Self.timeline
        var dice = SplitMix64(seed: seed)
        var last = Int64.min
        for index in Int64(0)..<200 {
            let instant = 1000 + 40 * index
            let now = Self.at(instant + Int64.random(in: 0...35, using: &dice))
            let time = timeline.time(driver: Self.at(instant + 33), now: now).ticks
            #expect(time > last && time <= ClockRate.video.ticks(inNanoseconds: now - Self.epoch))
            last = time
        }
        #expect(timeline.implausibleTimeCount == 0)
    }

    @Test func aDelayedFrameKeepsItsTimeEvenIfTheDriverStampsFramesEarly() {
        var timeline = Self.timeline
        _ = timeline.time(driver: Self.at(1030), now: Self.at(1000))
        let times = [1070, 1110, 9030].map { timeline.time(driver: Self.at($0), now: Self.at(9000)).ticks }
        #expect(times == [93_600, 97_200, 810_000])
        #expect(timeline.implausibleTimeCount == 0)
    }

    @Test func anImpossiblyEarlyStampDoesNotShiftTheNextFrame() {
        var timeline = Self.timeline
        _ = timeline.time(driver: Self.at(1000), now: Self.at(1001))
        _ = timeline.time(driver: Self.at(1500), now: Self.at(1034))
        let time = timeline.time(driver: Self.at(1066), now: Self.at(1067))
        #expect(time.ticks == 95_940)
        #expect(timeline.implausibleTimeCount == 1)
    }

    @Test func aFrameThatWasDelayedForLongKeepsItsTime() {
        var timeline = Self.timeline
        let times = [1000, 1033, 9000].map { timeline.time(driver: Self.at($0), now: Self.at(9100)).ticks }
        #expect(times == [90_000, 92_970, 810_000])
        #expect(timeline.implausibleTimeCount == 0)
    }
}

@Suite struct FrameFaultCountsTests {
    @Test func theFirstFaultOfAKindIsLoggedAndThenOneAMinute() {
        var faults = FrameFaultCounts()
        let second: Int64 = 1_000_000_000
        let isLogged = [(FrameFault.empty, 0), (.empty, 59), (.truncated, 59), (.empty, 60)].map {
            faults.note($0.0, at: $0.1 * second)
        }
        #expect(isLogged == [true, false, true, true])
        #expect(faults.count(of: .empty) == 3)
        #expect(faults.count(of: .damaged) == 0)
    }
}

import TestSupport
import Testing

@testable import MP4

/// Browsers drop everything up to the next keyframe after a decode time that is more than two durations later than the one before.
@Suite struct SampleClockTests {
    /// 60, 25, 5, 0.5 and 0.05 frames a second.
    @Test(arguments: [1_500, 3_600, 18_000, 180_000, 1_800_000] as [Int64])
    func aConstantDistanceIsTheDuration(interval: Int64) {
        var clock = SampleClock(hertz: 90_000)
        let times = (0..<100).map { clock.next(decodedAt: Int64($0) * interval, lasting: nil) }
        #expect(times.dropFirst().allSatisfy { $0.duration == interval })
        #expect(times.dropFirst(12).map(\.decode) == (12..<100).map { Int64($0) * interval })
        #expect(clock.lag == 0)
    }

    @Test func aKnownDurationIsKept() {
        var clock = SampleClock(hertz: 48_000)
        #expect(clock.next(decodedAt: 5, lasting: 1_024) == SampleClock.Times(decode: 5, duration: 1_024))
        #expect(clock.next(decodedAt: 1_029, lasting: 960) == SampleClock.Times(decode: 1_029, duration: 960))
    }

    /// 50 ms, 100 ms, 500 ms and 2 s without a frame, at 30 frames a second.
    @Test(arguments: [4_500, 9_000, 45_000, 180_000] as [Int64])
    func aPauseIsBridgedAndCaughtUp(pause: Int64) {
        var clock = SampleClock(hertz: 90_000)
        var last = clock.next(decodedAt: 0, lasting: nil)
        var lagging = 0
        for frame in 1..<400 as Range<Int64> {
            let decode = frame * 3_000 + (frame > 40 ? pause : 0)
            let times = clock.next(decodedAt: decode, lasting: nil)
            #expect(times.decode > last.decode && times.decode <= decode)
            #expect(times.decode - last.decode < 2 * last.duration)
            if times.decode < decode { lagging += 1 }
            last = times
        }
        #expect(clock.lag == 0)
        #expect(lagging < 110, "\(lagging)")
    }

    /// Nothing is bridged for longer than players may buffer.
    @Test func aLongPauseIsNotBridged() {
        var clock = SampleClock(hertz: 90_000)
        for frame in 0..<40 as Range<Int64> { _ = clock.next(decodedAt: frame * 3_000, lasting: nil) }
        #expect(clock.next(decodedAt: 117_000 + 190_000, lasting: nil).decode == 307_000)
        #expect(clock.lag == 0)
    }

    /// Phones and cameras: any distances from 5 to 100 ms, and now and then a pause.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func decodeTimesRiseByLessThanTwoDurations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var clock = SampleClock(hertz: 90_000)
        var decode: Int64 = 0
        var last = clock.next(decodedAt: decode, lasting: nil)
        for _ in 0..<2_000 {
            decode += Int64.random(in: 450...9_000, using: &random)
            if Int.random(in: 0..<100, using: &random) == 0 { decode += 45_000 }
            let times = clock.next(decodedAt: decode, lasting: nil)
            #expect(times.decode > last.decode && times.decode - last.decode < 2 * last.duration)
            #expect((0...180_000).contains(clock.lag))
            last = times
        }
    }

    @Test func aRestartedSourceBeginsAnew() {
        var clock = SampleClock(hertz: 90_000)
        for frame in 0..<10 as Range<Int64> { _ = clock.next(decodedAt: 900_000 + frame * 3_000, lasting: nil) }
        #expect(clock.next(decodedAt: 0, lasting: nil).decode == 0)
        #expect(clock.next(decodedAt: 3_000, lasting: nil) == SampleClock.Times(decode: 3_000, duration: 3_000))
    }
}

import Media
import TestSupport
import Testing

@testable import RTMP

/// The times of a publisher's messages, in virtual time with a seed.
@Suite struct TagClockTests {
    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000

    /// A publisher of 25 frames a second whose clock may be wrong.
    private struct Publisher {
        var clock = TagClock(epoch: epoch)
        var random = SplitMix64(seed: 1)
        /// By how many millionths the publisher's clock is fast.
        var drift: Int64 = 0
        /// Added to the publisher's times, in nanoseconds.
        var shift: Int64 = 0
        /// The most that a message is late, in nanoseconds. The first is not.
        var jitter: Int64 = 0
        /// The least and the largest distance between the times of two messages, in parts of the distance on the publisher's clock.
        private(set) var steps: ClosedRange<Double> = 1...1
        private var last: (arrival: Int64, published: Int64, time: TagTime)?

        /// Sends a message at an instant of the host's clock, in nanoseconds.
        ///
        /// - Returns: its time.
        @discardableResult
        mutating func send(_ instant: Int64, later: Int64 = 0) -> TagTime {
            let late = last == nil || jitter == 0 ? 0 : Int64.random(in: 0...jitter, using: &random)
            let arrival = max(last?.arrival ?? 0, instant + later + late)
            let published = (instant + instant / 1_000_000 * drift + shift) / millisecond
            let time = clock.time(
                of: UInt32(truncatingIfNeeded: published), arrival: MonotonicTime(nanoseconds: arrival))
            if let last, published > last.published {
                #expect(time > last.time)
                let step = Double(time.nanoseconds - last.time.nanoseconds)
                let ratio = step / Double((published - last.published) * millisecond)
                steps = min(steps.lowerBound, ratio)...max(steps.upperBound, ratio)
            }
            last = (arrival, published, time)
            return time
        }
    }

    private static func frames(_ seconds: Range<Int64>) -> some Sequence<Int64> {
        (seconds.lowerBound * 25..<seconds.upperBound * 25).lazy.map { $0 * second / 25 }
    }

    @Test(arguments: [100, -100, 20] as [Int64], [0, 80] as [Int64])
    func aDriftIsFollowedForHours(drift: Int64, jitter: Int64) {
        var publisher = Publisher()
        (publisher.drift, publisher.jitter) = (drift, jitter * Self.millisecond)
        var errors: ClosedRange<Int64> = 0...0
        for frame in Self.frames(0..<4 * 3_600) {
            let error = publisher.send(frame).nanoseconds - frame
            errors = min(errors.lowerBound, error)...max(errors.upperBound, error)
        }
        // Without a correction it would be 1.44 s.
        #expect(errors.lowerBound > -10 * Self.millisecond && errors.upperBound < 10 * Self.millisecond, "\(errors)")
        #expect(publisher.steps.lowerBound > 0.9989 && publisher.steps.upperBound < 1.0011, "\(publisher.steps)")
    }

    @Test(arguments: [0, 80] as [Int64]) func theTimesOfARightClockAreUnchanged(jitter: Int64) {
        var publisher = Publisher()
        publisher.jitter = jitter * Self.millisecond
        for frame in Self.frames(0..<3_600) { publisher.send(frame) }
        #expect(publisher.steps == 1...1)
    }

    /// The messages of the first two seconds come together: the first is late.
    @Test func aLateBeginningIsMadeGoodSlowly() {
        var publisher = Publisher()
        publisher.jitter = 20 * Self.millisecond
        var error: Int64 = 0
        for frame in Self.frames(0..<2) { publisher.send(frame, later: 2 * Self.second - frame) }
        for frame in Self.frames(2..<3_600) {
            let former = error
            error = publisher.send(frame).nanoseconds - frame
            if frame > 3 * Self.second { #expect(error <= former) }
        }
        #expect((0...6 * Self.millisecond).contains(error))
        #expect(publisher.steps.lowerBound > 0.9989 && publisher.steps.upperBound == 1)
    }

    @Test func aJumpBeginsAnewAtTheArrival() {
        var publisher = Publisher()
        publisher.drift = 100
        for frame in Self.frames(0..<3_600) { publisher.send(frame) }
        #expect(publisher.send(3_600 * Self.second).correction < -300 * Self.millisecond)
        publisher.shift = -3_000 * Self.second
        for frame in Self.frames(3_601..<3_700) {
            #expect(abs(publisher.send(frame).nanoseconds - frame) < 15 * Self.millisecond)
        }
    }

    /// The times of the publisher go on during a pause.
    @Test func aPauseChangesNothing() {
        var publisher = Publisher()
        publisher.jitter = 20 * Self.millisecond
        for frame in Self.frames(0..<200) { publisher.send(frame) }
        for frame in Self.frames(209..<400) { publisher.send(frame) }
        #expect(publisher.steps == 1...1)
    }

    /// The times of the publisher stop during a pause, or the network holds messages for good: the times follow, but do not jump.
    @Test func aPauseOfTheClockIsMadeGoodSlowly() {
        var publisher = Publisher()
        for frame in Self.frames(0..<200) { publisher.send(frame) }
        publisher.shift = -2 * Self.second
        var error: Int64 = 0
        for frame in Self.frames(202..<4_200) { error = publisher.send(frame).nanoseconds - frame }
        #expect((-6 * Self.millisecond...0).contains(error))
        #expect(publisher.steps.lowerBound == 1 && publisher.steps.upperBound < 1.0011)
    }

    /// Files that are sent faster or slower than they play.
    @Test(arguments: [-500_000, -20_000, 10_000, 100_000, 9_000_000] as [Int64])
    func mediaThatIsNotSentInRealTimeIsUnchanged(faster: Int64) {
        var publisher = Publisher()
        (publisher.drift, publisher.jitter) = (faster, 20 * Self.millisecond)
        for frame in Self.frames(0..<600) { publisher.send(frame) }
        #expect(publisher.steps == 1...1)
    }

    /// Frames of AAC follow a clock that is 100 ppm fast, without gaps.
    @Test func aCorrectionIsSpreadOverAllFramesOfAudio() throws {
        var (reader, read) = (TagReader(epoch: epoch), ReadTags())
        reader.received(Message(.audio, payload: bytes("AF 00 1190")), arrival: epoch)
        let count: Int64 = 15 * 60 * 48_000 / 1_024
        for number in 0..<count {
            // By the publisher's clock, in nanoseconds.
            let time = number * 1_024 * Self.second / 48_000
            let message = Message(
                .audio, timestamp: UInt32(time / Self.millisecond), payload: bytes("AF 01 AABB"))
            reader.received(message, arrival: MonotonicTime(nanoseconds: time - time / 10_000))
        }
        read.take(from: &reader)
        let times = read.units.map(\.decodeTime.ticks)
        #expect(times.count == count)
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(try #require(steps.min()) >= 1_022)
        #expect(try #require(steps.max()) == 1_024)
        // 90 ms fast, of which 5 ms are not corrected.
        let lead = count * 1_024 - (try #require(times.last) + 1_024)
        #expect((80...87).contains(lead / 48))
    }
}

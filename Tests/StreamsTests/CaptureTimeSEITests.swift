import Media
import Synchronization
import Testing

@testable import Streams

/// Two clocks that the test sets.
private final class Clocks: Sendable {
    private let reading: Mutex<ClockReading>

    init(monotonic: Int64, unixNanoseconds: Int64) {
        reading = Mutex(
            ClockReading(monotonic: MonotonicTime(nanoseconds: monotonic), unixNanoseconds: unixNanoseconds))
    }

    var now: ClockReading { reading.withLock { $0 } }

    func setWallClock(_ nanoseconds: Int64) {
        reading.withLock { $0 = ClockReading(monotonic: $0.monotonic, unixNanoseconds: nanoseconds) }
    }
}

/// The capture timestamps that a stream adds to frames.
@Suite struct StampingTests {
    private static let wall: Int64 = 1_763_689_871_000_000_000
    private static let epoch: Int64 = 7_000_000_000
    private let clocks: Clocks
    private let stream: Stream

    init() {
        let clocks = Clocks(monotonic: Self.epoch, unixNanoseconds: Self.wall)
        self.clocks = clocks
        stream = Stream(path: "/cam", clock: StreamClock { clocks.now })
        stream.announce([.video, .audio])
    }

    private static func encodedFrame(_ milliseconds: Int64, idr: Bool, units: [[UInt8]]) -> AccessUnit {
        let time = MediaTime(ticks: milliseconds * 90, rate: .video)
        var unit = AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: idr, nalUnits: units)
        let captured = MonotonicTime(nanoseconds: epoch).advanced(byMilliseconds: milliseconds)
        unit.encodeTiming = AccessUnit.EncodeTiming(
            frameNumber: UInt32(milliseconds / 40), begin: captured + 1_234_567, end: captured + 5_000_000)
        return unit
    }

    /// Five frames. The first and the fourth are IDR frames.
    private func publishFive() {
        for number in 0..<5 {
            let idr = number % 3 == 0
            stream.publish(Self.encodedFrame(Int64(number) * 40, idr: idr, units: [[idr ? 0x65 : 0x41, 9, 9]]))
        }
    }

    private func history() throws -> [AccessUnit] {
        let feed = try #require(stream.feed(EchoPackager.self, options: 0, for: CountingWaker()))
        return stream.joinPoint(in: feed).history
    }

    @Test func keyframesOrAllOrNoFramesCarryACaptureTimestamp() throws {
        publishFive()
        #expect(try history().map { $0.captureTimestamp?.frameNumber } == [0, nil, nil, 3, nil])
        stream.announce([.video, .audio])
        stream.captureTimeSEI = .all
        publishFive()
        #expect(try history().map { $0.captureTimestamp?.frameNumber } == [0, 1, 2, 3, 4])
        stream.announce([.video, .audio])
        stream.captureTimeSEI = .off
        publishFive()
        #expect(try history().map { $0.captureTimestamp?.frameNumber } == [nil, nil, nil, nil, nil])
    }

    @Test func aTimestampHasTheCaptureTimeOnBothClocksAndTheEncodeTimes() throws {
        stream.publish(Self.encodedFrame(80, idr: true, units: [[0x65, 9]]))
        let timestamp = try #require(try history().first?.captureTimestamp)
        #expect(timestamp.monotonic.nanoseconds == Self.epoch + 80_000_000)
        #expect(timestamp.wallClock == NTPTime(unixNanoseconds: Self.wall + 80_000_000))
        #expect(timestamp.encodingBegins == 1_234)
        #expect(timestamp.encodingEnds == 5_000)
    }

    @Test func theTimestampFollowsTheEncodersMessagesAndPrecedesTheSlices() throws {
        let units: [[UInt8]] = [[0x67, 1], [0x68, 2], [0x06, 5, 1, 9, 0x80], [0x65, 3], [0x65, 4]]
        stream.publish(Self.encodedFrame(0, idr: true, units: units))
        let unit = try #require(try history().first)
        let timestamp = try #require(unit.captureTimestamp)
        var expected = units
        expected.insert(timestamp.nalUnit, at: 3)
        #expect(unit.units.map { Array(unit.bytes[$0]) } == expected)
    }

    @Test func unitsThatWereEncodedElsewhereAreUnchanged() throws {
        stream.captureTimeSEI = .all
        stream.publish(.frame(0, idr: true))
        stream.publish(.audio(20))
        let history = try history()
        #expect(history.map(\.bytes) == [AccessUnit.frame(0, idr: true), .audio(20)].map(\.bytes))
        #expect(history.map(\.captured) == [0, 20_000_000].map { NTPTime(unixNanoseconds: Self.wall + $0) })
    }

    @Test func onlyTheFirstPartOfAFrameCarriesATimestamp() throws {
        stream.captureTimeSEI = .all
        let time = MediaTime(ticks: 0, rate: .video)
        for part in [AccessUnit.Part.first, .middle, .last] {
            var unit = AccessUnit(
                track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true, part: part,
                nalUnits: [[0x65, 1]])
            unit.encodeTiming = AccessUnit.EncodeTiming(frameNumber: 1, begin: stream.epoch, end: stream.epoch)
            stream.publish(unit)
        }
        #expect(try history().map { $0.captureTimestamp != nil } == [true, false, false])
    }

    @Test func aFrameThatWasEncodedBeforeItsCaptureTimeHasNoBegin() throws {
        var unit = AccessUnit.frame(1_000, idr: true)
        unit.encodeTiming = AccessUnit.EncodeTiming(
            frameNumber: 1, begin: stream.epoch, end: stream.epoch + 2_000_000_000)
        stream.publish(unit)
        let timestamp = try #require(try history().first?.captureTimestamp)
        #expect(timestamp.encodingBegins == nil)
        #expect(timestamp.encodingEnds == 1_000_000)
    }

    @Test func aStepOfTheWallClockIsInTheNextTimestamp() throws {
        let steps = stream.clock.follow()
        clocks.setWallClock(Self.wall + 50_000_000)
        publishFive()
        #expect(try history().last?.captured == NTPTime(unixNanoseconds: Self.wall + 160_000_000))
        clocks.setWallClock(Self.wall - 3_600_000_000_000)
        publishFive()
        #expect(try history().last?.captured == NTPTime(unixNanoseconds: Self.wall - 3_599_840_000_000))
        #expect(stream.clock.follow() == steps + 1)
    }

    @Test func extremeTimesDoNotTrap() {
        for ticks in [Int64.min, .min + 1, -1, .max - 1, .max] {
            let time = MediaTime(ticks: ticks, rate: .video)
            stream.publish(
                AccessUnit(
                    track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true,
                    nalUnits: [[0x65, 1]]))
        }
        #expect(stream.published.pictureCount == 5)
    }
}

import Media
import Testing

@testable import Capture

@Suite struct EncodeTimingRecorderTests {
    private static func time(_ ticks: Int64) -> MediaTime { MediaTime(ticks: ticks, rate: .video) }

    private static func unit(_ ticks: Int64) -> AccessUnit {
        AccessUnit(
            track: TrackID(0), presentationTime: time(ticks), decodeTime: time(ticks), isKeyframe: false,
            nalUnits: [[0x41, 1]])
    }

    private static func instant(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    @Test func droppedFramesAreNumbered() {
        var timingRecorder = EncodeTimingRecorder()
        var numbers: [UInt32?] = []
        for (index, skipped) in [2, 0, 0, 5, 1].enumerated() {
            let ticks = Int64(index) * 3_000
            timingRecorder.arrived(Self.time(ticks), skipped: skipped)
            timingRecorder.begun(Self.time(ticks), at: Self.instant(ticks))
            numbers += timingRecorder.encoded([Self.unit(ticks)], at: Self.instant(ticks + 1)).map {
                $0.encodeTiming?.frameNumber
            }
        }
        #expect(numbers == [2, 3, 4, 10, 12])
    }

    @Test func anEncoderThatHoldsFramesBackHasATimingForEach() {
        var timingRecorder = EncodeTimingRecorder()
        for number in 0..<4 as Range<Int64> {
            timingRecorder.arrived(Self.time(number), skipped: 0)
            timingRecorder.begun(Self.time(number), at: Self.instant(number * 10))
        }
        // The second frame was lost in the encoder.
        let encoded = timingRecorder.encoded([Self.unit(0), Self.unit(2)], at: Self.instant(100))
        #expect(encoded.map { $0.encodeTiming?.frameNumber } == [0, 2])
        #expect(encoded.map { $0.encodeTiming?.begin } == [Self.instant(0), Self.instant(20)])
        #expect(encoded.allSatisfy { $0.encodeTiming?.end == Self.instant(100) })
        #expect(timingRecorder.encoded([Self.unit(1)], at: Self.instant(101)).map(\.encodeTiming) == [nil])
    }

    @Test func effectsThatDelayOrRepeatFramesKeepTheirNumbers() {
        var timingRecorder = EncodeTimingRecorder()
        for number in 0..<3 as Range<Int64> { timingRecorder.arrived(Self.time(number * 3_000), skipped: 0) }
        // Twice as many frames come out, late.
        let numbers = (0..<6 as Range<Int64>).map { index in
            timingRecorder.begun(Self.time(index * 1_500), at: Self.instant(0))
            return timingRecorder.encoded([Self.unit(index * 1_500)], at: Self.instant(0)).first?.encodeTiming?
                .frameNumber
        }
        #expect(numbers == [0, 0, 1, 1, 2, 2])
    }

    @Test func unknownUnitsHaveNoTiming() {
        var timingRecorder = EncodeTimingRecorder()
        #expect(timingRecorder.encoded([Self.unit(5)], at: Self.instant(0)).map(\.encodeTiming) == [nil])
    }
}

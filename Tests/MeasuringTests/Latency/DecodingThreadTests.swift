import Codecs
import Media
import Testing

@testable import Measuring

@Suite struct DecodingThreadTests {
    private func unit(_ number: Int) -> AccessUnit {
        let time = MediaTime(ticks: Int64(number), rate: .video)
        return AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: false,
            nalUnits: [[0x41, 1, 2]])
    }

    /// Ten frames as our own encoder makes them.
    private func frames() throws -> [AccessUnit] {
        var settings = VideoEncoderSettings()
        (settings.width, settings.height) = (64, 64)
        let encoder = try VideoEncoder(settings)
        let frame = try VideoFrame(width: 64, height: 64)
        return try (0..<10).flatMap { number in
            try encoder.encode(
                frame, track: TrackID(0), presentationTime: MediaTime(ticks: Int64(number), rate: .video),
                forcingKeyframe: number == 0)
        }
    }

    @Test func everyFrameKeepsItsNumber() throws {
        let decoding = try DecodingThread()
        try decoding.start()
        let began = MonotonicTime(nanoseconds: 0)
        for unit in try frames() { decoding.submit(unit, isKey: unit.isKeyframe) }
        let outcome = decoding.finish(withinMilliseconds: 60_000)
        #expect(outcome.frames.map(\.number) == Array(0..<10))
        #expect(outcome.frames.allSatisfy { $0.instant > began })
        #expect(outcome.skipped == 0)
        #expect(outcome.failure == nil)
    }

    @Test func submittingNeverBlocksAndSkippedUnitsAreCounted() throws {
        // The thread does not run, as if decoding one frame took forever.
        let decoding = try DecodingThread()
        let surplus = 44
        for number in 0..<(DecodingThread.maximumWaiting + surplus) { decoding.submit(unit(number), isKey: false) }
        let outcome = decoding.finish(withinMilliseconds: 0)
        #expect(outcome.skipped == DecodingThread.maximumWaiting + surplus)
        #expect(outcome.frames.isEmpty)
    }

    @Test func invalidUnitsCauseNoFrameAndNoFailure() throws {
        let decoding = try DecodingThread()
        try decoding.start()
        for number in 0..<100 { decoding.submit(unit(number), isKey: number == 0) }
        let outcome = decoding.finish(withinMilliseconds: 60_000)
        #expect(outcome.frames.isEmpty)
        #expect(outcome.failure == nil)
    }
}

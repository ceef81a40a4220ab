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

    /// Ten pictures as our own encoder makes them.
    private func pictures() throws -> [AccessUnit] {
        var settings = VideoEncoder.Settings()
        (settings.width, settings.height) = (64, 64)
        let encoder = try VideoEncoder(settings)
        let frame = try VideoFrame(width: 64, height: 64)
        return try (0..<10).flatMap { number in
            try encoder.encode(
                frame, track: TrackID(0), presentationTime: MediaTime(ticks: Int64(number), rate: .video),
                forcingKeyframe: number == 0)
        }
    }

    @Test func everyPictureIsKnownAgainByItsNumber() throws {
        let decoding = try DecodingThread()
        try decoding.start()
        let began = MonotonicTime(nanoseconds: 0)
        for unit in try pictures() { decoding.submit(unit, isKey: unit.isKeyframe) }
        let outcome = decoding.finish(withinMilliseconds: 60_000)
        #expect(outcome.pictures.map(\.number) == Array(0..<10))
        #expect(outcome.pictures.allSatisfy { $0.instant > began })
        #expect(outcome.passedOver == 0)
        #expect(outcome.failure == nil)
    }

    @Test func whoeverHandsOverNeverWaitsAndWhatIsTooMuchIsCounted() throws {
        // Its thread does not run: as if one picture took for ever.
        let decoding = try DecodingThread()
        let surplus = 44
        for number in 0..<(DecodingThread.mostWaiting + surplus) { decoding.submit(unit(number), isKey: false) }
        let outcome = decoding.finish(withinMilliseconds: 0)
        #expect(outcome.passedOver == DecodingThread.mostWaiting + surplus)
        #expect(outcome.pictures.isEmpty)
    }

    @Test func garbageGivesNoPictureAndNoFailure() throws {
        let decoding = try DecodingThread()
        try decoding.start()
        for number in 0..<100 { decoding.submit(unit(number), isKey: number == 0) }
        let outcome = decoding.finish(withinMilliseconds: 60_000)
        #expect(outcome.pictures.isEmpty)
        #expect(outcome.failure == nil)
    }
}

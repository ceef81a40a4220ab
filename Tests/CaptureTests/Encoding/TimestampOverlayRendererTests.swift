import Codecs
import Media
import Reactor
import Streams
import TestSupport
import Testing

@testable import Capture

/// The timestamp overlay in encoded frames: of the test card at very low bitrates, and of cameras.
@Suite struct TimestampOverlayRendererTests {
    private static let wall: Int64 = 1_795_273_445_000_000_000

    private static let clock = StreamClock(epoch: MonotonicTime(nanoseconds: 0)) {
        ClockReading(monotonic: MonotonicTime(nanoseconds: 0), unixNanoseconds: wall)
    }

    /// The overlays found in frames 0 to 29 of a test card after encoding and decoding.
    private func codes(_ settings: EncodingSettings) throws -> [[TimestampOverlay]] {
        let timeline = TestCardTimeline(frameRate: .thirty, now: 0, wallNanoseconds: Self.wall)
        let pipeline = try TestCardPipeline(settings, timeline: timeline, streamClock: Self.clock)
        let decoder = try VideoDecoder()
        var frames: [DecodedVideoFrame] = []
        for number in 0..<30 {
            let units = try pipeline.units(forFrame: Int64(number), wallNanoseconds: Self.wall)
            frames += try units.filter { $0.track == TestCardPipeline.videoTrack }.flatMap { try decoder.decode($0) }
        }
        frames += try decoder.finish()
        return try frames.map { try $0.luma().timestampOverlays.map(\.code) }
    }

    /// The expected overlays at 30 frames per second.
    private var expected: [[TimestampOverlay]] {
        (0..<30).map { number in
            let ticks = MediaTime(ticks: Int64(number) * 3_000, rate: .video)
            let captured = Self.clock.ntpTime(of: Self.clock.instant(of: ticks))
            return [TimestampOverlay(unixNanoseconds: captured.unixNanoseconds, frameNumber: UInt32(number))]
        }
    }

    @Test(arguments: [(1280, 720, 500_000), (1280, 720, 200_000), (640, 360, 100_000)])
    func theTestCardsOverlayIsReadableAtLowBitrates(width: Int, height: Int, bitrate: Int) throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.video.bitrate) = (width, height, bitrate)
        settings.audio = nil
        let read = try codes(settings)
        // At too low a bitrate the encoder shows no overlay or an earlier one, but never one that was not drawn.
        for (number, codes) in read.enumerated() {
            #expect(codes.isEmpty || expected[...number].contains(codes), "frame \(number): \(codes)")
        }
        let exact = zip(read, expected).count { $0 == $1 }
        #expect(exact >= (bitrate >= 500_000 ? 25 : 15) && read.count == 30, "\(exact) of 30")
    }

    @Test func effectsDoNotChangeTheOverlay() throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.audio) = (320, 180, nil)
        settings.filters = "hflip,vflip,boxblur=20"
        #expect(try codes(settings) == expected)
        settings.timestampOverlay = .topRight
        settings.filters = "null"
        #expect(try codes(settings) == expected)
    }

    @Test(arguments: ["YUYV", "YU12"])
    func aCamerasFramesHaveTheOverlayInTheConfiguredCorner(_ format: String) throws {
        let testRun = CameraTestRun()
        let bytes = [UInt8](repeating: 128, count: format == "YUYV" ? 320 * 180 * 2 : 320 * 180 * 3 / 2)
        let frames: [ReplayedCamera.Event] = [.frames([.bytes(bytes)]), .frames([.bytes(bytes)])]
        try testRun.run(format, width: 320, height: 180, timestampOverlay: .topRight, frames)
        let times = try testRun.units().map(\.presentationTime)
        let shown = try testRun.frames(width: 320, height: 180)
        #expect(shown.count == 2)
        for (number, (frame, time)) in zip(shown, times).enumerated() {
            let finding = try #require(LumaFrame(frame).timestampOverlays.first)
            let captured = testRun.stream.clock.ntpTime(of: testRun.stream.clock.instant(of: time))
            #expect(finding.code.frameNumber == UInt32(number))
            #expect(
                finding.code == TimestampOverlay(unixNanoseconds: captured.unixNanoseconds, frameNumber: UInt32(number))
            )
            #expect(finding.x.upperBound > 310 && finding.y.lowerBound < 10)
            #expect(frame.luma[5, 170] > 120 && frame.luma[5, 170] < 136)
        }
    }

    @Test func aCamerasFramesHaveNoOverlayByDefault() throws {
        let testRun = CameraTestRun()
        let grey = ReplayedCamera.Frame.bytes([UInt8](repeating: 128, count: 320 * 180 * 2))
        try testRun.run("YUYV", width: 320, height: 180, [.frames([grey])])
        #expect(try testRun.frames(width: 320, height: 180).map { LumaFrame($0).timestampOverlays.count } == [0])
    }

    @Test func theOverlayAppearsMovesAndDisappearsWhileRunning() throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.audio) = (320, 180, nil)
        let timeline = TestCardTimeline(frameRate: .thirty, now: 0, wallNanoseconds: Self.wall)
        let pipeline = try TestCardPipeline(settings, timeline: timeline, streamClock: Self.clock)
        let decoder = try VideoDecoder()
        var corners: [[Bool]] = []
        let wanted: [TimestampOverlay.Corner?] = [nil, .topRight, .topLeft, nil]
        for (number, corner) in wanted.enumerated() {
            settings.timestampOverlay = corner
            _ = try pipeline.change(to: settings, after: Int64(number) - 1)
            let units = try pipeline.units(forFrame: Int64(number), wallNanoseconds: Self.wall)
            var frames = try units.flatMap { try decoder.decode($0) }
            if number == wanted.indices.last { frames += try decoder.finish() }
            for frame in frames {
                let found = try frame.luma().timestampOverlays
                corners.append(found.flatMap { [$0.x.lowerBound < 50, $0.y.lowerBound < 50] })
            }
        }
        // Left, then top. One overlay each: at its old place, the background was restored.
        #expect(corners == [[true, false], [false, true], [true, true], [true, false]])
    }
}

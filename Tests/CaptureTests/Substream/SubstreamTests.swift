import Codecs
import Logging
import Media
import Reactor
import Streams
import Synchronization
import Testing

@testable import Capture

/// A stream and its substream, which the test drives step by step.
private final class Pair {
    let parent = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 1_000_000_000))
    let substream = Stream(path: "/cam/sub", epoch: MonotonicTime(nanoseconds: 1_000_000_000))
    let fanOut = FrameFanOut()
    let control: EncoderControl
    private let stage: VideoEncodingStage
    private let pool = VideoFramePool(width: 128, height: 96)
    private let audioTrack: Track?
    let pipeline: SubstreamPipeline

    /// - Parameter offersFrames: whether the parent delivers raw frames.
    init(
        width: Int = 64, height: Int = 48, rate: Int32 = 30, audioTrack: Track? = nil, offersFrames: Bool = true
    ) throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height) = (width, height)
        settings.video.frameRate = try #require(FrameRate(rate))
        control = EncoderControl(settings)
        self.audioTrack = audioTrack
        (settings.video.width, settings.video.height, settings.video.frameRate) = (128, 96, .thirty)
        stage = try VideoEncodingStage(
            settings, track: TrackID(0), control: EncoderControl(settings), fanOut: offersFrames ? fanOut : nil)
        parent.announce([stage.track] + (audioTrack.map { [$0] } ?? []))
        let doorbell = try Doorbell()
        pipeline = try SubstreamPipeline(
            try #require(ParentStreamReader(parent, doorbell: doorbell)), fanOut, ringing: doorbell, control: control,
            into: substream)
    }

    /// Publishes a grey frame of the parent at `tick`, with audio if it has an audio track.
    func show(_ luma: UInt8, at tick: Int64) throws {
        let frame = try pool.take()
        frame.luma.fill(x: 0..<128, y: 0..<96, with: luma)
        for plane in [frame.cb, frame.cr] { plane.fill(x: 0..<64, y: 0..<48, with: 128) }
        for unit in try stage.units(of: frame, at: MediaTime(ticks: tick, rate: .video)) { parent.publish(unit) }
        guard let audioTrack else { return }
        let time = MediaTime(ticks: tick * Int64(audioTrack.clockRate.hertz) / 90_000, rate: audioTrack.clockRate)
        parent.publish(
            AccessUnit(
                track: audioTrack.id, presentationTime: time, decodeTime: time, isKeyframe: true, bytes: [1, 2, 3],
                units: [0..<3]))
    }

    var units: [AccessUnit] {
        get throws {
            let feed = try #require(substream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
            return substream.joinPoint(in: feed).history
        }
    }

    func frames(width: Int, height: Int) throws -> [VideoFrame] {
        let decoder = try VideoDecoder()
        let decoded = try units.filter { $0.track == TrackID(0) }.flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.allSatisfy { $0.width == width && $0.height == height })
        return try decoded.map { try Scaler(width: width, height: height).scale($0) }
    }
}

@Suite struct SubstreamTests {
    @Test func itShowsTheParentsFramesAtTheirTimesInItsOwnSize() throws {
        let pair = try Pair()
        for (index, luma) in [UInt8(40), 120, 200].enumerated() {
            try pair.show(luma, at: Int64(index) * 3000)
            try pair.pipeline.publishAvailable()
        }
        #expect(try pair.units.map(\.presentationTime.ticks) == [0, 3000, 6000])
        let lumas = try pair.frames(width: 64, height: 48).map { $0.luma[32, 24] }
        #expect(zip(lumas, [40, 120, 200]).allSatisfy { abs(Int($0) - $1) <= 3 })
        #expect(pair.control.status.pictureCount == 3)
    }

    /// The parent is 128×96.
    @Test func withAnotherAspectRatioItIsLetterboxedOrCropped() throws {
        let pair = try Pair(width: 96, height: 48)
        try pair.show(200, at: 0)
        try pair.pipeline.publishAvailable()
        let letterbox = try #require(pair.frames(width: 96, height: 48).first)
        #expect([4, 12, 84, 92].allSatisfy { letterbox.luma[$0, 24] < 24 }, "bars of 16 pixels")
        #expect([20, 48, 76].allSatisfy { letterbox.luma[$0, 24] > 190 })
        var settings = pair.control.settings
        settings.fit = .crop
        pair.control.change(to: settings)
        for tick in 1...2 {
            try pair.show(200, at: Int64(tick) * 3000)
            try pair.pipeline.publishAvailable()
        }
        let crop = try #require(pair.frames(width: 96, height: 48).last)
        #expect([4, 48, 92].allSatisfy { crop.luma[$0, 24] > 190 })
    }

    @Test func onlyTheNewestFrameIsEncodedAndTheOthersAreCounted() throws {
        let pair = try Pair()
        for tick in 0..<3 { try pair.show(UInt8(50 + 50 * tick), at: Int64(tick) * 3000) }
        try pair.pipeline.publishAvailable()
        #expect(try pair.units.map(\.presentationTime.ticks) == [6000])
        #expect(pair.control.status.skippedCount == 2)
    }

    @Test func h264OfAParentWithoutRawFramesIsDecoded() throws {
        let pair = try Pair(offersFrames: false)
        for (index, luma) in [UInt8(40), 120, 200].enumerated() {
            try pair.show(luma, at: Int64(index) * 3000)
            try pair.pipeline.publishAvailable()
        }
        #expect(try pair.units.map(\.presentationTime.ticks) == [0, 3000, 6000])
        let lumas = try pair.frames(width: 64, height: 48).map { $0.luma[32, 24] }
        #expect(zip(lumas, [40, 120, 200]).allSatisfy { abs(Int($0) - $1) <= 4 })
    }

    @Test func aLowerFrameRateDropsFrames() throws {
        let pair = try Pair(rate: 10)
        for tick in 0..<30 {
            // Cameras always have some jitter.
            try pair.show(100, at: Int64(tick) * 3000 + (tick % 2 == 0 ? 200 : 0))
            try pair.pipeline.publishAvailable()
        }
        let times = try pair.units.map(\.presentationTime.ticks)
        #expect(times.count == 10)
        #expect(zip(times, times.dropFirst()).allSatisfy { (8700...9300).contains($1 - $0) })
    }

    @Test func theParentsAudioPassesThroughUnchanged() throws {
        let configuration = try #require(AAC.AudioSpecificConfig(parsing: [0x11, 0x90]))
        let audioTrack = Track(id: TrackID(1), clockRate: .audio48k, format: .aac(configuration))
        let pair = try Pair(audioTrack: audioTrack)
        #expect(pair.substream.announcement?.tracks.last == audioTrack)
        for tick in 0..<3 {
            try pair.show(100, at: Int64(tick) * 3000)
            try pair.pipeline.publishAvailable()
        }
        let audioUnits = try pair.units.filter { $0.track == audioTrack.id }
        #expect(audioUnits.map(\.bytes) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        #expect(audioUnits.map(\.presentationTime.ticks) == [0, 1600, 3200])
    }

    @Test func sizeAndRateChangeWhileTheViewersStayConnected() throws {
        let pair = try Pair()
        try pair.show(100, at: 0)
        try pair.pipeline.publishAvailable()
        var settings = pair.control.settings
        (settings.video.width, settings.video.height) = (32, 32)
        pair.control.change(to: settings)
        try pair.show(100, at: 3000)
        try pair.pipeline.publishAvailable()
        #expect(try pair.units.map(\.isKeyframe) == [true], "new viewers start at the new size")
        _ = try pair.frames(width: 32, height: 32)
        #expect(pair.substream.announcement?.version == 2)
    }

    @Test func theSubstreamNeverShowsWhatTheParentHidesNow() throws {
        let pair = try Pair()
        for tick in 0..<3 {
            try pair.show(200, at: Int64(tick) * 3000)
            try pair.pipeline.publishAvailable()
        }
        // A change of the parent's effects announces its tracks again.
        pair.parent.announce(try #require(pair.parent.announcement?.tracks))
        try pair.show(50, at: 9000)
        try pair.pipeline.publishAvailable()
        #expect(try pair.units.map(\.isKeyframe) == [true])
        #expect(try pair.frames(width: 64, height: 48).allSatisfy { abs(Int($0.luma[32, 24]) - 50) <= 3 })
    }

    @Test func anotherAudioTrackOfTheParentIsAnnounced() throws {
        let audioTracks = try [[0x11, 0x90], [0x11, 0x88]].map { bytes in
            Track(
                id: TrackID(1), clockRate: .audio48k,
                format: .aac(try #require(AAC.AudioSpecificConfig(parsing: bytes.map(UInt8.init)))))
        }
        let pair = try Pair(audioTrack: audioTracks[0])
        try pair.show(100, at: 0)
        try pair.pipeline.publishAvailable()
        let videoTrack = try #require(pair.parent.announcement?.tracks.first)
        pair.parent.announce([videoTrack, audioTracks[1]])
        try pair.show(100, at: 3000)
        try pair.pipeline.publishAvailable()
        #expect(pair.substream.announcement?.tracks.last == audioTracks[1])
    }

    @Test func aLateDecoderSkipsToTheLastKeyframe() throws {
        let pair = try Pair(offersFrames: false)
        for tick in 0..<90 { try pair.show(100, at: Int64(tick) * 3000) }
        try pair.pipeline.publishAvailable()
        #expect(try pair.units.map(\.presentationTime.ticks) == [89 * 3000])
        #expect(pair.control.status.skippedCount == 89)
    }

    @Test func itEndsIfTheParentsTracksChange() throws {
        let pair = try Pair()
        try pair.pipeline.publishAvailable()
        #expect(!pair.pipeline.hasEnded)
        pair.parent.announce([])
        try pair.pipeline.publishAvailable()
        #expect(pair.pipeline.hasEnded)
    }

    @Test func aSubstreamOfAStreamWithoutUnitsWaitsUntilItIsStopped() throws {
        let parent = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
        let source = Substream(
            of: parent, fanOut: nil, encoding: EncodingSettings(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        source.stop()
        try source.run(into: Stream(path: "/sub", epoch: MonotonicTime(nanoseconds: 0)))
    }
}

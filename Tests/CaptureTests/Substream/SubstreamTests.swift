import Codecs
import Logging
import Media
import Reactor
import Streams
import Synchronization
import Testing

@testable import Capture

/// A stream, and a substream of it that is told when to look.
private final class Pair {
    let parent = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 1_000_000_000))
    let substream = Stream(path: "/cam/sub", epoch: MonotonicTime(nanoseconds: 1_000_000_000))
    let fanOut = FrameFanOut()
    let control: EncoderControl
    private let stage: VideoEncodingStage
    private let pool = VideoFramePool(width: 128, height: 96)
    private let audioTrack: Track?
    let coding: SubstreamPipeline

    /// - Parameter offersFrames: whether the original hands over raw pictures.
    init(
        width: Int = 64, height: Int = 48, rate: Int32 = 30, audioTrack: Track? = nil, offersFrames: Bool = true
    ) throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height) = (width, height)
        settings.video.frameRate = try #require(VideoEncoder.FrameRate(rate))
        control = EncoderControl(settings)
        self.audioTrack = audioTrack
        (settings.video.width, settings.video.height, settings.video.frameRate) = (128, 96, .thirty)
        stage = try VideoEncodingStage(
            settings, track: TrackID(0), control: EncoderControl(settings), fanOut: offersFrames ? fanOut : nil)
        parent.announce([stage.track] + (audioTrack.map { [$0] } ?? []))
        let doorbell = try Doorbell()
        coding = try SubstreamPipeline(
            try #require(ParentStreamReader(parent, doorbell: doorbell)), fanOut, ringing: doorbell, control: control,
            into: substream)
    }

    /// The original shows a grey picture at `tick`; a sound comes with it where it has sound.
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

    func pictures(width: Int, height: Int) throws -> [VideoFrame] {
        let decoder = try VideoDecoder()
        let decoded = try units.filter { $0.track == TrackID(0) }.flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.allSatisfy { $0.width == width && $0.height == height })
        return try decoded.map { try Scaler(width: width, height: height).scale($0) }
    }
}

@Suite struct SubstreamTests {
    @Test func itShowsTheOriginalsPicturesAtTheirTimesInItsOwnSize() throws {
        let pair = try Pair()
        for (index, luma) in [UInt8(40), 120, 200].enumerated() {
            try pair.show(luma, at: Int64(index) * 3000)
            try pair.coding.go()
        }
        #expect(try pair.units.map(\.presentationTime.ticks) == [0, 3000, 6000])
        let lumas = try pair.pictures(width: 64, height: 48).map { $0.luma[32, 24] }
        #expect(zip(lumas, [40, 120, 200]).allSatisfy { abs(Int($0) - $1) <= 3 })
        #expect(pair.control.status.pictureCount == 3)
    }

    /// The original is 128×96.
    @Test func inOtherProportionsItIsBetweenBarsOrCropped() throws {
        let pair = try Pair(width: 96, height: 48)
        try pair.show(200, at: 0)
        try pair.coding.go()
        let letterbox = try #require(pair.pictures(width: 96, height: 48).first)
        #expect([4, 12, 84, 92].allSatisfy { letterbox.luma[$0, 24] < 24 }, "bars of 16 pixels")
        #expect([20, 48, 76].allSatisfy { letterbox.luma[$0, 24] > 190 })
        var settings = pair.control.settings
        settings.fit = .crop
        pair.control.change(to: settings)
        for tick in 1...2 {
            try pair.show(200, at: Int64(tick) * 3000)
            try pair.coding.go()
        }
        let crop = try #require(pair.pictures(width: 96, height: 48).last)
        #expect([4, 48, 92].allSatisfy { crop.luma[$0, 24] > 190 })
    }

    @Test func theNewestPictureWinsAndTheOthersAreCounted() throws {
        let pair = try Pair()
        for tick in 0..<3 { try pair.show(UInt8(50 + 50 * tick), at: Int64(tick) * 3000) }
        try pair.coding.go()
        #expect(try pair.units.map(\.presentationTime.ticks) == [6000])
        #expect(pair.control.status.skippedCount == 2)
    }

    @Test func ofAnOriginalThatHasOnlyH264ThePicturesAreDecoded() throws {
        let pair = try Pair(offersFrames: false)
        for (index, luma) in [UInt8(40), 120, 200].enumerated() {
            try pair.show(luma, at: Int64(index) * 3000)
            try pair.coding.go()
        }
        #expect(try pair.units.map(\.presentationTime.ticks) == [0, 3000, 6000])
        let lumas = try pair.pictures(width: 64, height: 48).map { $0.luma[32, 24] }
        #expect(zip(lumas, [40, 120, 200]).allSatisfy { abs(Int($0) - $1) <= 4 })
    }

    @Test func fewerPicturesASecondAreTakenWhereFewerAreWanted() throws {
        let pair = try Pair(rate: 10)
        for tick in 0..<30 {
            // Cameras are never quite in time.
            try pair.show(100, at: Int64(tick) * 3000 + (tick % 2 == 0 ? 200 : 0))
            try pair.coding.go()
        }
        let times = try pair.units.map(\.presentationTime.ticks)
        #expect(times.count == 10)
        #expect(zip(times, times.dropFirst()).allSatisfy { (8700...9300).contains($1 - $0) })
    }

    @Test func itsSoundIsTheOriginalsUntouched() throws {
        let configuration = try #require(AAC.AudioSpecificConfig(parsing: [0x11, 0x90]))
        let audioTrack = Track(id: TrackID(1), clockRate: .audio48k, format: .aac(configuration))
        let pair = try Pair(audioTrack: audioTrack)
        #expect(pair.substream.announcement?.tracks.last == audioTrack)
        for tick in 0..<3 {
            try pair.show(100, at: Int64(tick) * 3000)
            try pair.coding.go()
        }
        let sounds = try pair.units.filter { $0.track == audioTrack.id }
        #expect(sounds.map(\.bytes) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        #expect(sounds.map(\.presentationTime.ticks) == [0, 1600, 3200])
    }

    @Test func sizeAndRateChangeOnAirWithTheViewersConnected() throws {
        let pair = try Pair()
        try pair.show(100, at: 0)
        try pair.coding.go()
        var settings = pair.control.settings
        (settings.video.width, settings.video.height) = (32, 32)
        pair.control.change(to: settings)
        try pair.show(100, at: 3000)
        try pair.coding.go()
        #expect(try pair.units.map(\.isKeyframe) == [true], "who comes now begins at the new size")
        _ = try pair.pictures(width: 32, height: 32)
        #expect(pair.substream.announcement?.version == 2)
    }

    @Test func whatTheOriginalDoesNotShowAnyMoreNobodySeesInTheSubstream() throws {
        let pair = try Pair()
        for tick in 0..<3 {
            try pair.show(200, at: Int64(tick) * 3000)
            try pair.coding.go()
        }
        // As after a change of its effects.
        pair.parent.announce(try #require(pair.parent.announcement?.tracks))
        try pair.show(50, at: 9000)
        try pair.coding.go()
        #expect(try pair.units.map(\.isKeyframe) == [true])
        #expect(try pair.pictures(width: 64, height: 48).allSatisfy { abs(Int($0.luma[32, 24]) - 50) <= 3 })
    }

    @Test func anotherSoundOfTheOriginalIsAnnounced() throws {
        let sounds = try [[0x11, 0x90], [0x11, 0x88]].map { bytes in
            Track(
                id: TrackID(1), clockRate: .audio48k,
                format: .aac(try #require(AAC.AudioSpecificConfig(parsing: bytes.map(UInt8.init)))))
        }
        let pair = try Pair(audioTrack: sounds[0])
        try pair.show(100, at: 0)
        try pair.coding.go()
        let picture = try #require(pair.parent.announcement?.tracks.first)
        pair.parent.announce([picture, sounds[1]])
        try pair.show(100, at: 3000)
        try pair.coding.go()
        #expect(pair.substream.announcement?.tracks.last == sounds[1])
    }

    @Test func aDecoderThatIsLateBeginsAtTheLastRandomAccessPoint() throws {
        let pair = try Pair(offersFrames: false)
        for tick in 0..<90 { try pair.show(100, at: Int64(tick) * 3000) }
        try pair.coding.go()
        #expect(try pair.units.map(\.presentationTime.ticks) == [89 * 3000])
        #expect(pair.control.status.skippedCount == 89)
    }

    @Test func itEndsWhereTheOriginalHasOtherTracks() throws {
        let pair = try Pair()
        try pair.coding.go()
        #expect(!pair.coding.hasEnded)
        pair.parent.announce([])
        try pair.coding.go()
        #expect(pair.coding.hasEnded)
    }

    @Test func aSubstreamOfASilentStreamWaitsAndIsStopped() throws {
        let parent = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
        let source = Substream(
            of: parent, fanOut: nil, encoding: EncodingSettings(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        source.stop()
        try source.run(into: Stream(path: "/sub", epoch: MonotonicTime(nanoseconds: 0)))
    }
}

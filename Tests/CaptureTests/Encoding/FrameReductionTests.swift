import Codecs
import Media
import RateControl
import Reactor
import Streams
import TestSupport
import Testing

@testable import Capture
@testable import Codecs

/// Encodes grey frames of 640×480 at 30 frames per second, and follows orders.
private final class ReducedStage {
    let control: EncoderControl
    let lines = LoggedLines()
    let fanOut = FrameFanOut()
    let stage: VideoEncodingStage
    private(set) var units: [AccessUnit] = []
    /// The settings of each encoder that was opened.
    private(set) var opened: [VideoEncoderSettings] = []
    private var count: Int64 = 0

    static let bitrate = 1_000_000

    static var settings: EncodingSettings {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.video.gopFrames) = (640, 480, 1000)
        (settings.video.encoder, settings.video.bitrate) = ("libx264", bitrate)
        return settings
    }

    /// - Parameter leastWidth: what the encoder refuses.
    init(
        _ settings: EncodingSettings = settings, order: EncoderOrder? = nil, leastWidth: Int = 0,
        clock: StreamClock? = nil
    ) throws {
        control = EncoderControl(settings, log: lines.log)
        if let order { control.follow(order) }
        _ = control.takeChange()
        var seen: [VideoEncoderSettings] = []
        let note: (VideoEncoderSettings) -> Void = { seen.append($0) }
        stage = try VideoEncodingStage(
            control.settings, track: TrackID(0), control: control, fanOut: fanOut, streamClock: clock,
            defaultOverlayCorner: clock == nil ? nil : .bottomLeft
        ) { (settings, report) throws(CodecFailure) in
            try VideoEncoder(settings, report: report) { (model, settings) throws(CodecFailure) in
                guard settings.width >= leastWidth else { throw CodecFailure(reason: "too small") }
                note(settings)
                return try LibavEncoder(tested: model, settings)
            }
        }
        opened = seen
    }

    func follow(_ kilobits: Int, _ reduction: FrameReduction) {
        control.follow(EncoderOrder(bitrate: DataRate(bitsPerSecond: Int64(kilobits) * 1000), reduction: reduction))
    }

    /// - Returns: the units of these frames.
    @discardableResult
    func encode(_ frameCount: Int) throws -> [AccessUnit] {
        let before = units.count
        for _ in 0..<frameCount {
            try stage.applyRequestedChange { $0 }
            let frame = try VideoFrame(width: 640, height: 480)
            // Noise, so that frames have as many bits as they may.
            var random = SplitMix64(seed: UInt64(count))
            for y in 0..<480 {
                for x in 0..<640 { frame.luma[x, y] = UInt8(truncatingIfNeeded: random.next() & 63 + 64) }
            }
            for plane in [frame.cb, frame.cr] { plane.fill(x: 0..<320, y: 0..<240, with: 128) }
            frame.matrix = .bt601
            units += try stage.units(of: frame, at: MediaTime(ticks: count * 3_000, rate: .video))
            count += 1
        }
        return Array(units[before...])
    }

    func decoded() throws -> [DecodedVideoFrame] {
        let decoder = try VideoDecoder()
        return try units.flatMap { try decoder.decode($0) } + decoder.finish()
    }
}

/// Fewer and smaller frames, if viewers cannot receive all of them.
@Suite struct FrameReductionTests {
    private let halfRate = FrameReduction(frameRateDivisor: 2)
    private let halfSize = FrameReduction(frameRateDivisor: 2, sizeDivisor: 2)

    private func frameNumbers(_ units: [AccessUnit]) -> [Int64] { units.map { $0.presentationTime.ticks / 3_000 } }

    @Test func everySecondFrameIsEncodedWithoutAKeyframe() throws {
        let stage = try ReducedStage()
        try stage.encode(10)
        stage.follow(1_000, halfRate)
        let half = try stage.encode(20)
        #expect(frameNumbers(half) == Array(stride(from: 10, to: 30, by: 2)))
        #expect(half.allSatisfy { !$0.isKeyframe })
        stage.follow(1_000, .none)
        #expect(frameNumbers(try stage.encode(5)) == [30, 31, 32, 33, 34])
        #expect(stage.units.count(where: \.isKeyframe) == 1)
        #expect(try stage.decoded().count == 25)
        #expect(stage.stage.revision == 0)
    }

    @Test func theRestOfTheFramesShareTheBitrate() throws {
        let stage = try ReducedStage()
        try stage.encode(30)
        var sums: [Int] = []
        for (kilobits, reduction) in [(1_000, .none), (1_000, halfRate), (1_000, halfSize), (500, halfSize)] {
            stage.follow(kilobits, reduction)
            try stage.encode(10)
            sums.append(try stage.encode(60).reduce(0) { $0 + $1.bytes.count * 8 } / 2)
        }
        // x264 stays below the bitrate with noise, by another amount each time. If half of the frames did not get twice the bits,
        // the second sum were half of the first.
        let wanted = [1_000_000, 1_000_000, 1_000_000, 500_000]
        #expect(zip(sums, wanted).allSatisfy { $0 < $1 * 11 / 10 }, "\(sums)")
        #expect(sums[1] > sums[0] * 6 / 10 && sums[2] > sums[0] * 6 / 10, "\(sums)")
    }

    @Test func theEncoderIsToldOfMoreBitsInsteadOfFewerFrames() {
        var video = ReducedStage.settings.video
        let half = video.reduced(by: halfSize)
        #expect((half.width, half.height) == (320, 240))
        #expect(half.frameRate == video.frameRate && half.bitrate == 2 * video.bitrate)
        #expect(half.gopFrames == video.gopFrames / 2)
        #expect(video.reduced(by: .none) == video)
        video.intraRefresh = true
        #expect(video.reduced(by: halfRate).gopFrames == video.gopFrames)
    }

    @Test func keyframesKeepTheirInterval() throws {
        var settings = ReducedStage.settings
        settings.video.gopFrames = 20
        let order = EncoderOrder(bitrate: DataRate(bitsPerSecond: 900_000), reduction: halfRate)
        let stage = try ReducedStage(settings, order: order)
        try stage.encode(80)
        #expect(frameNumbers(stage.units.filter(\.isKeyframe)) == [0, 20, 40, 60])
    }

    @Test func aSmallerSizeBeginsWithAKeyframeAndItsParameterSets() throws {
        let stage = try ReducedStage()
        try stage.encode(11)
        #expect(stage.control.status.encodedFrames?.description == "640×480 at 30 fps")
        stage.follow(300, halfSize)
        let small = try stage.encode(9)
        #expect(frameNumbers(small) == [11, 13, 15, 17, 19])
        #expect(small.map(\.isKeyframe) == [true, false, false, false, false])
        guard case .h264(let sets) = stage.stage.track.format else { return }
        #expect(H264.SequenceParameterSet(parsing: sets.sequence[0])?.width == 320)
        #expect(stage.control.status.encodedFrames?.description == "320×240 at 15 fps")
        #expect(stage.control.status.frames?.description == "640×480 at 30 fps")
        stage.follow(1_000, .none)
        #expect(try stage.encode(1).map(\.isKeyframe) == [true])
        let decoded = try stage.decoded()
        #expect(decoded.map(\.width) == Array(repeating: 640, count: 11) + Array(repeating: 320, count: 5) + [640])
        #expect(Set(decoded.map(\.matrix)) == [.bt601])
    }

    @Test func substreamsGetAllFramesInTheirSize() throws {
        let stage = try ReducedStage()
        let subscriber = stage.fanOut.attach(try Doorbell())
        stage.follow(300, halfSize)
        for _ in 0..<4 {
            try stage.encode(1)
            let offered = try #require(subscriber.take())
            #expect(try offered.frame.frame().width == 640)
        }
        #expect(stage.units.count == 2)
    }

    @Test func anEncoderThatRefusesSmallFramesKeepsTheSize() throws {
        let stage = try ReducedStage(leastWidth: 400)
        try stage.encode(4)
        for kilobits in [300, 250] {
            stage.follow(kilobits, halfSize)
            try stage.encode(4)
        }
        #expect(Set(try stage.decoded().map(\.width)) == [640])
        #expect(stage.units.count == 8)
        #expect(stage.control.settings.video.bitrate == 250_000)
        #expect(stage.lines.all.count == 1, "\(stage.lines.all)")
        let line = try #require(stage.lines.all.first)
        #expect(line.contains("frames keep their size for viewers with slow paths: ") && line.contains("too small"))
        let order = EncoderOrder(bitrate: DataRate(bitsPerSecond: 300_000), reduction: halfSize)
        let next = try ReducedStage(order: order, leastWidth: 400)
        #expect(try next.encode(1).count == 1, "a source that starts meanwhile, too")
    }

    @Test func otherSettingsThatFailKeepTheReduction() throws {
        let stage = try ReducedStage()
        stage.follow(300, halfSize)
        try stage.encode(2)
        var wrong = ReducedStage.settings
        wrong.video.width = 641
        stage.control.change(to: wrong)
        try stage.encode(2)
        #expect(stage.control.settings.video.width == 640)
        #expect(stage.control.settings.reduction == halfSize)
        #expect(Set(try stage.decoded().map(\.width)) == [320])
    }

    @Test func theTimestampOverlayIsReadableInTheSmallSize() throws {
        let clock = StreamClock(epoch: MonotonicTime(nanoseconds: 0)) {
            ClockReading(monotonic: MonotonicTime(nanoseconds: 0), unixNanoseconds: 1_763_689_871_000_000_000)
        }
        let stage = try ReducedStage(clock: clock)
        stage.follow(800, halfSize)
        try stage.encode(7)
        let scaler = Scaler(width: 320, height: 240)
        let numbers = try stage.decoded().map { LumaFrame(try scaler.scale($0)).frameNumber }
        #expect(numbers == [0, 2, 4, 6])
    }
}

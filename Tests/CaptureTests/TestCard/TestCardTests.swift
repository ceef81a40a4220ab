import Codecs
import Glibc
import Media
import Streams
import Synchronization
import Testing

@testable import Capture

/// A test card that runs in virtual time, and its decoded output.
private struct Recording {
    private static let origin: Int64 = 3_000_000_000
    private static let wallOrigin: Int64 = 1_763_689_871_000_000_000

    let timeline: TestCardTimeline
    let streamClock = StreamClock(epoch: MonotonicTime(nanoseconds: 0)) {
        ClockReading(monotonic: MonotonicTime(nanoseconds: origin), unixNanoseconds: wallOrigin)
    }
    let tracks: [Track]
    private(set) var units: [AccessUnit] = []

    /// Encodes the frames `numbers` of the grid, those in `forced` as keyframes.
    ///
    /// - Parameter isPreparing: whether audio is encoded before the frame's instant, as the source does.
    init(
        _ numbers: [Int64], _ settings: EncodingSettings, forced: Set<Int64> = [], isPreparing: Bool = false
    ) throws {
        timeline = TestCardTimeline(
            frameRate: settings.video.frameRate, now: Self.origin, wallNanoseconds: Self.wallOrigin)
        let control = EncoderControl(settings)
        let pipeline = try TestCardPipeline(
            settings, timeline: timeline, control: control, streamClock: streamClock)
        tracks = pipeline.tracks
        for number in numbers {
            if forced.contains(number) { control.requestKeyframe() }
            units += try pipeline.units(
                forFrame: number, wallNanoseconds: Self.wall(of: number, on: timeline))
            if isPreparing { try pipeline.prepareAudio(forFrame: number + 1) }
        }
    }

    static func wall(of number: Int64, on timeline: TestCardTimeline) -> Int64 {
        wallOrigin + timeline.instant(ofFrame: number) - origin
    }

    var videoUnits: [AccessUnit] { units.filter { $0.track == TestCardPipeline.videoTrack } }
    var audioUnits: [AccessUnit] { units.filter { $0.track == TestCardPipeline.audioTrack } }

    /// All frames in I420 with their times.
    func decodedFrames(_ settings: EncodingSettings) throws -> [(time: Int64, frame: VideoFrame)] {
        let decoder = try VideoDecoder()
        var decoded = try videoUnits.flatMap { try decoder.decode($0) }
        decoded += try decoder.finish()
        return try decoded.map {
            let scaler = Scaler(width: settings.video.width, height: settings.video.height)
            return (try #require($0.presentationTime), try scaler.scale($0))
        }
    }

    /// All samples of the left channel, and the time of the first.
    func decodedAudio(_ configuration: AAC.AudioSpecificConfig) throws -> (start: Int64, samples: [Float]) {
        let decoder = try AudioDecoder(configuration)
        let resampler = Resampler(sampleRate: configuration.sampleRate, channelCount: 2)
        var start: Int64?
        for audio in try audioUnits.flatMap({ try decoder.decode($0) }) {
            start = start ?? audio.presentationTime
            try resampler.push(audio)
        }
        try resampler.finish()
        let all = try #require(try resampler.take(resampler.availableSampleCount))
        return (try #require(start), Array(all[0]))
    }
}

/// A clock on which sleeping takes no time, and optionally too long.
private final class VirtualTime: Sendable {
    private struct State {
        var nanoseconds: Int64
        var wakes = 0
        var beforeWake: @Sendable (_ wakes: Int, _ nanoseconds: inout Int64) -> Void = { _, _ in }
    }
    private let state: Mutex<State>

    init(nanoseconds: Int64) {
        state = Mutex(State(nanoseconds: nanoseconds))
    }

    var nanoseconds: Int64 { state.withLock { $0.nanoseconds } }

    func beforeWake(_ body: @escaping @Sendable (_ wakes: Int, _ nanoseconds: inout Int64) -> Void) {
        state.withLock { $0.beforeWake = body }
    }

    var clock: PaceClock {
        PaceClock(
            now: { MonotonicTime(nanoseconds: self.nanoseconds) },
            wait: { instant, stop in
                self.state.withLock {
                    $0.nanoseconds = instant.nanoseconds
                    $0.wakes += 1
                    $0.beforeWake($0.wakes, &$0.nanoseconds)
                }
                return !stop.isSet
            })
    }
}

@Suite struct TestCardTests {
    private static var small: EncodingSettings {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height) = (640, 360)
        settings.video.gopFrames = 1000
        return settings
    }

    @Test func audioThatIsEncodedBeforeItsFrameIsOutputInOrder() throws {
        func places(_ recording: Recording) -> [String] {
            recording.units.map { "\($0.track.index) \($0.presentationTime.nanoseconds)" }
        }
        let numbers = [Int64](100..<120) + [Int64](130..<140)
        let settings = EncodingSettings()
        #expect(
            try places(Recording(numbers, settings, isPreparing: true)) == places(Recording(numbers, settings)))
    }

    @Test func unitsAreInPresentationOrder() throws {
        let recording = try Recording(Array(10..<100), Self.small)
        let times = recording.units.map(\.presentationTime.nanoseconds)
        #expect(times == times.sorted())
        #expect(recording.videoUnits.count == 90)
        #expect(recording.tracks.map(\.kind) == [.video, .audio])
        let audioUnits = recording.audioUnits.map(\.presentationTime.ticks)
        #expect(zip(audioUnits, audioUnits.dropFirst()).allSatisfy { $1 - $0 == 1024 })
        #expect(audioUnits.first == ClockRate.audio48k.ticks(inNanoseconds: recording.timeline.instant(ofFrame: 10)))
    }

    @Test func everyFramesOverlayContainsItsCaptureTimeAndNumber() throws {
        let recording = try Recording(Array(40..<80), Self.small)
        let codes = try recording.decodedFrames(Self.small).map { LumaFrame($0.frame).timestampOverlays.map(\.code) }
        let expected = (0..<40).map { number in
            let time = recording.timeline.time(ofFrame: 40 + Int64(number))
            let captured = recording.streamClock.ntpTime(of: recording.streamClock.instant(of: time))
            return TimestampOverlay(unixNanoseconds: captured.unixNanoseconds, frameNumber: UInt32(number))
        }
        #expect(codes == expected.map { [$0] })
    }

    @Test func theClockIsReadableInTheDecodedFrame() throws {
        let numbers: [Int64] = [0, 1, 17, 29, 44]
        let recording = try Recording(numbers, Self.small)
        let card = try TestCardRenderer(width: 640, height: 360)
        for (number, decoded) in zip(numbers, try recording.decodedFrames(Self.small)) {
            let wall = Recording.wall(of: number, on: recording.timeline)
            let read = text(
                12, x: card.margin, y: card.margin, scale: card.clockScale, in: decoded.frame.luma)
            #expect(read == ClockText(unixNanoseconds: wall).time)
        }
    }

    @Test(arguments: [(30, 1), (30_000, 1_001)])
    func flashAndBeepCoincideInTheDecodedStream(numerator: Int32, denominator: Int32) throws {
        var settings = Self.small
        settings.video.frameRate = try #require(FrameRate(numerator, denominator))
        let recording = try Recording(Array(5..<130), settings)
        let card = try TestCardRenderer(width: 640, height: 360)
        let square = card.flashSquare
        let lit = try recording.decodedFrames(settings).map {
            ($0.time, $0.frame.luma[square.x + square.side / 2, square.y + square.side / 2] > 128)
        }
        let flashes = zip(lit, lit.dropFirst()).filter { !$0.1 && $1.1 }.map { $1.0 * 1000 / 90 }
        let configuration = try #require(audioConfiguration(recording.tracks))
        let audio = try recording.decodedAudio(configuration)
        let beeps = onsets(audio.samples).map { (audio.start + Int64($0)) * 1000 / 48 }
        #expect(flashes.count == 4)
        #expect(beeps.count >= flashes.count)
        for (flash, beep) in zip(flashes, beeps) { #expect(abs(flash - beep) < 1000, "microseconds") }
    }

    @Test func theVeryFrameThatWasRequestedIsAKeyframe() throws {
        let recording = try Recording(Array(0..<30), Self.small, forced: [12, 20])
        let found = recording.videoUnits.enumerated().filter { $0.element.isKeyframe }.map(\.offset)
        #expect(found == [0, 12, 20])
    }

    @Test func droppedFramesLeaveAGapInTheVideoButNotInTheAudio() throws {
        let recording = try Recording([0, 1, 2, 7, 8], Self.small)
        let times = recording.videoUnits.map { ($0.presentationTime.ticks - 270_000) / 3_000 }
        #expect(times == [0, 1, 2, 7, 8])
        let audioUnits = recording.audioUnits.map(\.presentationTime.ticks)
        #expect(zip(audioUnits, audioUnits.dropFirst()).allSatisfy { $1 - $0 == 1024 })
    }

    @Test func afterALongPauseTheAudioContinuesWithoutABurst() throws {
        let recording = try Recording([0, 1, 2, 302, 303, 304], Self.small)
        let audioUnits = recording.audioUnits.map(\.presentationTime.ticks)
        #expect(audioUnits.count < 12)
        #expect(zip(audioUnits, audioUnits.dropFirst()).allSatisfy { $0 < $1 && ($1 - $0) % 1024 == 0 })
        let last = try #require(recording.audioUnits.last).presentationTime.nanoseconds
        #expect(recording.timeline.instant(ofFrame: 304) - last < 25_000_000)
    }

    @Test func withoutAudioThereIsOnlyAVideoTrack() throws {
        var settings = Self.small
        settings.audio = nil
        let recording = try Recording(Array(0..<5), settings)
        #expect(recording.tracks.map(\.kind) == [.video])
        #expect(recording.units.count == 5)
    }

    @Test(arguments: [(16, 16), (64, 48), (176, 144), (1920, 1080), (360, 640)])
    func everySizeCanBeDrawn(width: Int, height: Int) throws {
        let card = try TestCardRenderer(width: width, height: height)
        let frame = try VideoFrame(width: width, height: height)
        for number in stride(from: 0, to: 150, by: 7) {
            card.draw(
                TestCardRenderer.Moment(
                    number: number, wallNanoseconds: 0, nanoseconds: Int64(number) * 33_333_333,
                    isFlash: number % 30 == 0),
                into: frame)
        }
        let square = card.flashSquare
        #expect(frame.luma[square.x + square.side / 2, square.y + square.side / 2] == 16)
    }

    @Test(arguments: [(16, 16), (64, 48), (176, 144), (640, 360), (360, 640)])
    func aReusedFrameIsLikeANewOne(width: Int, height: Int) throws {
        let card = try TestCardRenderer(width: width, height: height)
        let new = try VideoFrame(width: width, height: height)
        var held: [VideoFrame] = []
        for number in 0..<150 {
            let moment = TestCardRenderer.Moment(
                number: number, wallNanoseconds: Int64(number) * 12_345_678_901,
                nanoseconds: Int64(number) * 133_333_333,
                isFlash: number % 30 == 0)
            let used = try card.draw(moment)
            card.draw(moment, into: new)
            for (one, other) in [(used.luma, new.luma), (used.cb, new.cb), (used.cr, new.cr)] {
                let rows = (0..<one.height).filter { row in
                    memcmp(one.base + row * one.stride, other.base + row * other.stride, one.width) != 0
                }
                #expect(rows.isEmpty, "frame \(number)")
            }
            // An encoder may retain a frame for a while.
            held = Array((held + [used]).suffix(number % 3))
        }
    }

    @Test func aLateThreadDropsFramesAndContinuesAtTheNewest() throws {
        let time = VirtualTime(nanoseconds: 10_000_000_000)
        // Audio is waited for, too.
        var settings = Self.small
        settings.audio = nil
        let card = TestCard(settings, clock: time.clock, wallClock: { time.nanoseconds })
        time.beforeWake { wakes, nanoseconds in
            // The eleventh wake-up is 200 ms late; the test stops after 31 frames.
            if wakes == 11 { nanoseconds += 200_000_000 }
            if wakes == 32 { card.stop() }
        }
        let stream = Stream(path: "/card", epoch: MonotonicTime(nanoseconds: 4_000_000_000))
        try card.run(into: stream)
        #expect(card.status?.pictureCount == 31)
        #expect(card.status?.skippedCount == 6)
        let feed = try #require(stream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        let seen = try #require(
            stream.joinPoint(in: feed).history.last { $0.track == TestCardPipeline.videoTrack })
        #expect(seen.presentationTime.ticks == 6 * 90_000 + (1 + 30 + 6) * 3_000)
    }

    @Test func audioLeavesWhenItIsDueAndNotWithTheNextFrame() throws {
        let time = VirtualTime(nanoseconds: 10_000_000_000)
        let card = TestCard(Self.small, clock: time.clock, wallClock: { time.nanoseconds })
        let stream = Stream(path: "/card", epoch: MonotonicTime(nanoseconds: 4_000_000_000))
        let instants = Mutex<Set<Int64>>([])
        time.beforeWake { wakes, nanoseconds in
            let instant = nanoseconds
            instants.withLock { _ = $0.insert(instant) }
            if wakes == 100 { card.stop() }
        }
        try card.run(into: stream)
        let feed = try #require(stream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        let audio = stream.joinPoint(in: feed).history.filter { $0.track == TestCardPipeline.audioTrack }
        #expect(audio.count > 20)
        // Units of the first frame are due at once.
        let wakes = instants.withLock(\.self)
        let due = audio.map { stream.epoch.nanoseconds + $0.presentationTime.nanoseconds }
        #expect(due.dropFirst(2).allSatisfy(wakes.contains))
    }

    @Test func aStopBeforeTheRunIsNotLost() throws {
        let card = TestCard(Self.small)
        let stream = Stream(path: "/card", epoch: MonotonicTime(nanoseconds: 0))
        card.stop()
        try card.run(into: stream)
        #expect(card.status?.pictureCount == 0)
        #expect(stream.announcement?.tracks.map(\.kind) == [.video, .audio])
    }

    @Test func aMissingEncoderIsReportedWithARemedy() {
        var settings = Self.small
        settings.video.encoder = "nonsense"
        settings.video.encoderFallback = false
        let card = TestCard(settings)
        let failure = #expect(throws: SourceFailure.self) {
            try card.run(into: Stream(path: "/card", epoch: MonotonicTime(nanoseconds: 0)))
        }
        #expect(failure?.reason == "no encoder is called nonsense")
        #expect(failure?.remedy.isEmpty == false)
    }

    @Test func theLabelContainsSizeAndRate() {
        #expect(TestCard().label == "test card 1280×720 at 30 fps")
    }

    // MARK: - Reading

    private func audioConfiguration(_ tracks: [Track]) -> AAC.AudioSpecificConfig? {
        tracks.lazy.compactMap { if case .aac(let configuration) = $0.format { configuration } else { nil } }.first
    }

    /// The indices at which audio begins after a tenth of a second of silence.
    private func onsets(_ samples: [Float]) -> [Int] {
        var found: [Int] = []
        var lastLoud = 0
        for (index, sample) in samples.enumerated() where abs(sample) > 0.05 {
            if index - lastLoud > 4_800 { found.append(index) }
            lastLoud = index
        }
        return found
    }

    /// Reads `count` glyphs by comparing the centres of their squares with the font.
    private func text(_ count: Int, x: Int, y: Int, scale: Int, in luma: VideoFrame.Plane) -> String {
        let (left, top) = (x + 3 * scale / 2 + scale / 2, y + 3 * scale / 2 + scale / 2)
        let signs = (0..<count).map { place -> Character in
            let rows = (0..<7).map { row -> UInt8 in
                (0..<5).reduce(0) { bits, column in
                    let column = left + (place * BitmapGlyphs.advance + column) * scale
                    return bits << 1 | (luma[column, top + row * scale] > 128 ? 1 : 0)
                }
            }
            let known = "0123456789:.".first { BitmapGlyphs.rows(of: $0.asciiValue ?? 0) == rows }
            return known ?? "?"
        }
        return String(signs)
    }
}

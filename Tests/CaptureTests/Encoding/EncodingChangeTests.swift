import Codecs
import Logging
import Media
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// A viewer that joins before the first unit and acts at certain frames, on the source's thread.
private final class Viewer: Waker {
    private struct State {
        var reader = FeedReader<ParentStreamReader.PassthroughPackager.Output>()
        var units: [AccessUnit] = []
        var feed: Feed<ParentStreamReader.PassthroughPackager>?
        var next: Int64 = 0
    }

    private let state = Mutex(State())
    private let act: @Sendable (_ frameCount: Int) -> Void

    init(_ act: @escaping @Sendable (Int) -> Void) { self.act = act }

    /// `nil` if the viewer's session has ended.
    var frames: [AccessUnit]? {
        state.withLock { state in
            state.reader.hasEnded ? nil : state.units.filter { $0.track == TestCardPipeline.videoTrack }
        }
    }

    func join(_ stream: Stream) {
        let feed = stream.feed(ParentStreamReader.PassthroughPackager.self, options: 0, for: self)
        state.withLock { $0.feed = feed }
    }

    func wake() {
        let (isVideo, count) = state.withLock { state in
            state.feed?.update(&state.reader)
            let new = (max(state.next, state.reader.startIndex)..<state.reader.endIndex).map { state.reader[$0].unit }
            state.next = state.reader.endIndex
            state.units += new
            let isVideo = new.contains { $0.track == TestCardPipeline.videoTrack }
            return (isVideo, state.units.count { $0.track == TestCardPipeline.videoTrack })
        }
        if isVideo { act(count) }
    }
}

@Suite struct EncodingChangeTests {
    private static var small: EncodingSettings {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.video.gopFrames) = (320, 240, 1000)
        settings.video.encoder = "libx264"
        return settings
    }

    private struct Played {
        let frames: [AccessUnit]
        let stream: Stream
        let card: TestCard
        let log: [String]

        /// Milliseconds between consecutive frames.
        var steps: [Int64] {
            zip(frames, frames.dropFirst()).map {
                ($1.presentationTime.ticks - $0.presentationTime.ticks) / 90
            }
        }
    }

    /// Plays thirty frames of a test card in virtual time and changes its settings after ten of them.
    private func play(
        _ settings: EncodingSettings = small, change: @escaping @Sendable (inout EncodingSettings) -> Void
    ) throws -> Played {
        let (lines, time) = (LoggedLines(), VirtualClock().clock)
        let card = TestCard(settings, log: lines.log, clock: time, wallClock: { time.now().nanoseconds })
        let stream = Stream(path: "/card", epoch: MonotonicTime(nanoseconds: 4_000_000_000))
        let viewer = Viewer { count in
            if count == 10 {
                var wanted = card.settings
                change(&wanted)
                card.change(to: wanted)
            }
            if count == 30 { card.stop() }
        }
        let timeline = TestCardTimeline(frameRate: .thirty, now: 0, wallNanoseconds: 0)
        stream.announce(try TestCardPipeline(settings, timeline: timeline).tracks)
        viewer.join(stream)
        try card.run(into: stream)
        return Played(frames: try #require(viewer.frames), stream: stream, card: card, log: lines.all)
    }

    private func keyframes(_ frames: [AccessUnit]) -> [Int] {
        frames.indices.filter { frames[$0].isKeyframe }
    }

    private func decoded(_ frames: [AccessUnit]) throws -> [DecodedVideoFrame] {
        let decoder = try VideoDecoder()
        return try frames.flatMap { try decoder.decode($0) } + decoder.finish()
    }

    @Test func bitrateAndKeyframeIntervalChangeWhileRunning() throws {
        let played = try play {
            $0.video.bitrate = 300_000
            $0.video.gopFrames = 10
        }
        #expect(keyframes(played.frames) == [0, 10, 20])
        #expect(played.stream.announcement?.version == 1, "the same parameter sets")
        #expect(played.card.settings.video.bitrate == 300_000)
        #expect(played.log.isEmpty)
    }

    @Test func theSizeChangesWhileTheViewerStaysConnected() throws {
        let played = try play { ($0.video.width, $0.video.height) = (640, 360) }
        #expect(keyframes(played.frames) == [0, 10])
        let decoded = try decoded(played.frames)
        #expect(decoded.map(\.width) == Array(repeating: 320, count: 10) + Array(repeating: 640, count: 20))
        #expect(played.steps.allSatisfy { $0 == 33 })
        // New viewers receive the new size; the frame numbers in the image continue.
        let announcement = try #require(played.stream.announcement)
        let sets = announcement.tracks.compactMap { if case .h264(let sets) = $0.format { sets } else { nil } }
        #expect(H264.SequenceParameterSet(parsing: try #require(sets.first).sequence[0])?.width == 640)
        let scaler = Scaler(width: 640, height: 360)
        #expect(LumaFrame(try scaler.scale(try #require(decoded.last))).frameNumber == 29)
    }

    @Test func theFrameRateChangesWhileRunningAndTimesContinue() throws {
        var settings = Self.small
        (settings.video.width, settings.video.height) = (640, 360)
        let rate = try #require(FrameRate(10))
        let played = try play(settings) { $0.video.frameRate = rate }
        #expect(keyframes(played.frames) == [0, 10])
        #expect(played.steps.prefix(9).allSatisfy { $0 == 33 })
        #expect(played.steps.dropFirst(10).allSatisfy { $0 == 100 })
        #expect((1...100).contains(played.steps[9]))
        let scaler = Scaler(width: 640, height: 360)
        let numbers = try decoded(played.frames).map { LumaFrame(try scaler.scale($0)).frameNumber }
        #expect(numbers == Array(0..<30))
    }

    @Test func settingsThatNoEncoderSupportsAreLoggedAndChangeNothing() throws {
        let played = try play { $0.video.width = 321 }
        #expect(keyframes(played.frames) == [0])
        #expect(played.card.settings == Self.small)
        #expect(played.log.count == 1)
        #expect(played.log.first?.contains("do not change: a frame of 321×240 cannot be encoded") == true)
    }

    @Test func aConfiguredEncoderThatDoesNotWorkIsReplacedAndLogged() throws {
        var settings = Self.small
        settings.video.encoder = "h264_nonsense"
        let played = try play(settings) { _ in }
        #expect(played.frames.count == 30)
        #expect(played.log.count == 1)
        #expect(played.log.first?.hasPrefix("warning: ") == true)
        #expect(played.log.first?.contains("no encoder is called h264_nonsense") == true)
    }

    @Test func autoLogsTheSkippedEncodersInOneLine() throws {
        var settings = Self.small
        settings.video.encoder = "auto"
        let played = try play(settings) { _ in }
        // Empty if the first encoder of the list works.
        let lines = played.log.filter { !$0.hasPrefix("debug: ") }
        #expect(lines.count <= 1)
        #expect(lines.allSatisfy { $0.hasPrefix("info: ") })
    }
}

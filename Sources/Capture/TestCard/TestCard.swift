import Codecs
import Logging
import Media
import RateControl
import Reactor
import Streams

/// A source that needs no device: moving bars with the wall clock and the frame number burned in, and once a second a white flash
/// with a simultaneous beep.
///
/// Capture never queues: each frame has a deadline on a fixed grid, and a thread that is late drops frames. Presentation times
/// are exact multiples of the frame interval. The visible clock shows UTC just before drawing. The timestamp overlay in the
/// lower left corner contains the frame number and the deadline, which sender reports refer to as well. Flashes fall on the
/// wall clock's whole seconds as of the start; if the clock is set later, the visible clock changes but the flashes stay.
public final class TestCard: ReconfigurableSource {
    private let clock: PaceClock
    /// Nanoseconds since 1970.
    private let wallClock: @Sendable () -> Int64
    private let stopSignal = StopSignal()
    private let control: EncoderControl
    private let fanOut: FrameFanOut?

    /// - Parameters:
    ///   - log: receives messages about encoders that do not work.
    ///   - fanOut: receives the frames for substreams.
    public convenience init(
        _ settings: EncodingSettings = EncodingSettings(), log: Logger? = nil, fanOut: FrameFanOut? = nil
    ) {
        self.init(settings, log: log ?? .silent, fanOut: fanOut, clock: .host, wallClock: WallClock.unixNanoseconds)
    }

    /// A test card with the given clocks, for tests.
    init(
        _ settings: EncodingSettings, log: Logger = .silent, fanOut: FrameFanOut? = nil, clock: PaceClock,
        wallClock: @escaping @Sendable () -> Int64
    ) {
        control = EncoderControl(settings, log: log)
        self.fanOut = fanOut
        self.clock = clock
        self.wallClock = wallClock
    }

    /// The latest settings.
    public var settings: EncodingSettings { control.settings }

    public var label: String {
        let video = control.settings.video
        return "test card \(video.width)×\(video.height) at \(video.frameRate) fps"
    }

    public var status: SourceStatus? { control.status }

    public func stop() {
        stopSignal.raise()
    }

    public func requestKeyframe() {
        control.requestKeyframe()
    }

    public func follow(_ order: EncoderOrder?) {
        control.follow(order)
    }

    public func change(to encoding: EncodingSettings) {
        control.change(to: encoding)
    }

    public func run(into stream: Stream) throws(SourceFailure) {
        defer {
            stopSignal.consume()
            // The stream's next source may have no frames to offer.
            fanOut?.offersFrames = false
        }
        do throws(CodecFailure) {
            let pipeline = try openPipeline(stream.clock)
            try publish(pipeline, into: stream)
        } catch {
            throw SourceFailure(error)
        }
    }

    private func openPipeline(_ streamClock: StreamClock) throws(CodecFailure) -> TestCardPipeline {
        // Earlier changes are already in the settings.
        _ = control.takeChange()
        let settings = settings
        let timeline = TestCardTimeline(
            frameRate: settings.video.frameRate, now: clock.now() - streamClock.epoch, wallNanoseconds: wallClock())
        return try TestCardPipeline(
            settings, timeline: timeline, control: control, fanOut: fanOut, clock: clock, streamClock: streamClock)
    }

    private func publish(_ pipeline: TestCardPipeline, into stream: Stream) throws(CodecFailure) {
        var announced = (tracks: pipeline.tracks, revision: pipeline.revision)
        stream.announce(announced.tracks)
        var number = pipeline.timeline.lastFrame(at: clock.now() - stream.epoch) + 1
        while wait(forFrame: number, of: pipeline, into: stream) {
            let newest = max(number, pipeline.timeline.lastFrame(at: clock.now() - stream.epoch))
            let units = try pipeline.units(
                forFrame: newest, wallNanoseconds: wallClock(), skipped: Int(newest - number))
            if pipeline.tracks != announced.tracks || pipeline.revision != announced.revision {
                announced = (pipeline.tracks, pipeline.revision)
                stream.announce(announced.tracks)
            }
            for unit in units { stream.publish(unit) }
            number = try applyRequestedChange(pipeline, after: newest)
            try pipeline.prepareAudio(forFrame: number)
        }
    }

    /// Waits for a frame, and publishes audio meanwhile, each unit when it is due.
    ///
    /// - Returns: false if the source is to stop.
    private func wait(forFrame number: Int64, of pipeline: TestCardPipeline, into stream: Stream) -> Bool {
        while let audio = pipeline.takeAudio(beforeFrame: number) {
            guard clock.wait(stream.epoch + audio.presentationTime.nanoseconds, stopSignal) else { return false }
            stream.publish(audio)
        }
        return clock.wait(stream.epoch + pipeline.timeline.instant(ofFrame: number), stopSignal)
    }

    /// - Returns: the number of the frame after `number`, on the grid of the settings that apply from now on.
    private func applyRequestedChange(_ pipeline: TestCardPipeline, after number: Int64) throws(CodecFailure) -> Int64 {
        guard let wanted = control.takeChange() else { return number + 1 }
        do throws(CodecFailure) {
            return try pipeline.change(to: wanted, after: number)
        } catch {
            try control.changeFailed(error, attempting: wanted, keeping: pipeline.settings)
            return number + 1
        }
    }
}

extension TestCard {
    /// The corner of the timestamp overlay if the settings do not name one.
    static let defaultOverlayCorner = TimestampOverlay.Corner.bottomLeft

    /// The first raw frames of a test card, with timestamp overlay, for measuring encoders.
    public static func frames(_ count: Int, _ video: VideoEncoderSettings) throws(SourceFailure) -> [VideoFrame] {
        let timeline = TestCardTimeline(frameRate: video.frameRate, now: 0, wallNanoseconds: 0)
        var frames: [VideoFrame] = []
        do {
            let renderer = try TestCardRenderer(width: video.width, height: video.height)
            for number in 0..<Int64(count) {
                let frame = try VideoFrame(width: video.width, height: video.height)
                let instant = timeline.instant(ofFrame: number)
                renderer.draw(
                    TestCardRenderer.Moment(
                        number: Int(number), wallNanoseconds: instant, nanoseconds: instant,
                        isFlash: timeline.isFlash(frame: number)),
                    into: frame)
                TimestampOverlay(unixNanoseconds: instant, frameNumber: UInt32(number)).draw(
                    in: defaultOverlayCorner, of: frame)
                frames.append(frame)
            }
        } catch {
            throw SourceFailure(error)
        }
        return frames
    }
}

import Codecs
import Logging
import Media
import Reactor
import Streams

/// A source that needs no device: a moving picture with the wall clock and the frame number burned in, and a white flash
/// with a beep once a second at the same instant.
///
/// Capture never queues: each picture has its instant on a grid of absolute deadlines, and a thread that comes too late
/// leaves pictures out. Presentation times are exact multiples of the interval. The clock in the picture shows UTC at the
/// instant before drawing; the block code in the lower left corner tells machines the instant on the grid, which sender
/// reports tell too, and the frame number. Flashes fall on the wall clock's whole seconds as of the start; a clock that is set later moves the figures, not the flashes.
public final class TestCard: ReconfigurableSource {
    private let clock: PaceClock
    /// Nanoseconds since 1970.
    private let wallClock: @Sendable () -> Int64
    private let stopSignal = StopSignal()
    private let control: EncoderControl
    private let fanOut: FrameFanOut?

    /// - Parameters:
    ///   - log: told which encoders do not work.
    ///   - fanOut: is given the pictures too.
    public convenience init(
        _ settings: EncodingSettings = EncodingSettings(), log: Logger? = nil, fanOut: FrameFanOut? = nil
    ) {
        self.init(settings, log: log ?? .silent, fanOut: fanOut, clock: .host, wallClock: WallClock.unixNanoseconds)
    }

    /// The same on clocks of the caller's choice.
    init(
        _ settings: EncodingSettings, log: Logger = .silent, fanOut: FrameFanOut? = nil, clock: PaceClock,
        wallClock: @escaping @Sendable () -> Int64
    ) {
        control = EncoderControl(settings, log: log)
        self.fanOut = fanOut
        self.clock = clock
        self.wallClock = wallClock
    }

    /// As wanted last.
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

    public func change(to encoding: EncodingSettings) {
        control.change(to: encoding)
    }

    public func run(into stream: Stream) throws(SourceFailure) {
        defer {
            stopSignal.consume()
            // Whatever feeds the stream next may have none to offer.
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
        // What was wanted before is in the settings.
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
        while clock.wait(stream.epoch + pipeline.timeline.instant(ofFrame: number), stopSignal) {
            let newest = max(number, pipeline.timeline.lastFrame(at: clock.now() - stream.epoch))
            let units = try pipeline.units(
                forFrame: newest, wallNanoseconds: wallClock(), skipped: Int(newest - number))
            if pipeline.tracks != announced.tracks || pipeline.revision != announced.revision {
                announced = (pipeline.tracks, pipeline.revision)
                stream.announce(announced.tracks)
            }
            for unit in units { stream.publish(unit) }
            number = try changeIfWanted(pipeline, after: newest)
            try pipeline.prepareAudio(forFrame: number)
        }
    }

    /// - Returns: the number of the picture that follows `number`, on the grid of the settings that hold from now on.
    private func changeIfWanted(_ pipeline: TestCardPipeline, after number: Int64) throws(CodecFailure) -> Int64 {
        guard let wanted = control.takeChange() else { return number + 1 }
        do throws(CodecFailure) {
            return try pipeline.change(to: wanted, after: number)
        } catch {
            try control.changeFailed(error, attempting: wanted, keeping: pipeline.settings)
            return number + 1
        }
    }
}

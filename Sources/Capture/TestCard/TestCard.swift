import Codecs
import Media
import Reactor
import Streams

/// A source that needs no device: a moving picture with the wall clock and the frame number burned in, and a white flash
/// with a beep once a second at the same instant.
///
/// Capture never queues: each picture has its instant on a grid of absolute deadlines, and a thread that comes too late
/// leaves pictures out. Presentation times are exact multiples of the interval. The clock in the picture shows UTC at the
/// instant before drawing; `FrameNumberCode` along the bottom edge tells machines the frame number. Flashes fall on the
/// wall clock's whole seconds as of the start; a clock that is set later moves the figures, not the flashes.
public final class TestCard: Source {
    public let settings: EncodingSettings
    private let clock: PaceClock
    /// Nanoseconds since 1970.
    private let wallClock: @Sendable () -> Int64
    private let stopSignal = StopSignal()
    private let control = EncoderControl()

    public convenience init(_ settings: EncodingSettings = EncodingSettings()) {
        self.init(settings, clock: .host, wallClock: WallClock.unixNanoseconds)
    }

    /// The same on clocks of the caller's choice.
    init(_ settings: EncodingSettings, clock: PaceClock, wallClock: @escaping @Sendable () -> Int64) {
        self.settings = settings
        self.clock = clock
        self.wallClock = wallClock
    }

    public var label: String {
        let video = settings.video
        return "test card \(video.width)×\(video.height) at \(video.frameRate) fps"
    }

    public var status: SourceStatus? { control.status }

    public func stop() {
        stopSignal.raise()
    }

    public func requestRandomAccess() {
        control.requestRandomAccess()
    }

    public func run(into stream: Stream) throws(SourceFailure) {
        defer { stopSignal.consume() }
        do throws(CodecFailure) {
            let pipeline = try openPipeline(epoch: stream.epoch)
            stream.announce(pipeline.tracks)
            try publish(pipeline, into: stream)
        } catch {
            throw SourceFailure(error)
        }
    }

    private func openPipeline(epoch: MonotonicTime) throws(CodecFailure) -> TestCardPipeline {
        let timeline = TestCardTimeline(
            frameRate: settings.video.frameRate, now: clock.now() - epoch, wallNanoseconds: wallClock())
        return try TestCardPipeline(settings, timeline: timeline)
    }

    private func publish(_ pipeline: TestCardPipeline, into stream: Stream) throws(CodecFailure) {
        let timeline = pipeline.timeline
        var number = timeline.lastPicture(at: clock.now() - stream.epoch) + 1
        while clock.wait(stream.epoch + timeline.instant(ofPicture: number), stopSignal) {
            let newest = max(number, timeline.lastPicture(at: clock.now() - stream.epoch))
            let units = try pipeline.units(
                forPicture: newest, wallNanoseconds: wallClock(),
                forcingRandomAccess: control.takeRandomAccessRequest())
            for unit in units { stream.publish(unit) }
            control.codedPicture(by: pipeline.video, skipped: Int(newest - number))
            number = newest + 1
        }
    }
}

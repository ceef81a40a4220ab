import Capture
import Codecs
import Glibc
import Logging
import Media
import RTP
import Reactor
import Streams
import Synchronization

/// Measures the time from a frame's capture until its RTP packets exist, and the encoder's share of it.
public enum EncodingBench {
    /// Runs the test card, or the camera at the device node `camera`, for `seconds`; then the encoder alone, with frames of
    /// the test card, at the same frame rate. Blocks.
    public static func run(
        _ video: VideoEncoderSettings, camera: String? = nil, seconds: Double, log: Logger
    ) throws(SourceFailure) -> MeasuredEncoding {
        var encoding = EncodingSettings()
        (encoding.video, encoding.audio) = (video, nil)
        let source = source(encoding, camera: camera, log: log)
        var report = EncodingReport(
            source: source.label, encoder: "", width: video.width, height: video.height,
            frameRate: video.frameRate.framesPerSecond, skipped: 0, processorLoad: 0, encoderLoad: 0)
        let frames = try runSource(source, seconds: seconds, into: &report)
        do throws(CodecFailure) {
            let encoder = try runEncoder(video, seconds: seconds, into: &report)
            return MeasuredEncoding(report: report, frames: frames, encoder: encoder)
        } catch {
            throw SourceFailure(reason: error.reason, remedy: error.remedy)
        }
    }

    // MARK: - From capture to packets

    private static func source(_ encoding: EncodingSettings, camera: String?, log: Logger) -> any SupervisedSource {
        guard let camera else { return TestCard(encoding, log: log) }
        var settings = CameraSettings()
        settings.encoding = encoding
        return CameraSource(path: camera, settings: settings, log: log)
    }

    private static func runSource(
        _ source: any SupervisedSource, seconds: Double, into report: inout EncodingReport
    ) throws(SourceFailure) -> [MeasuredEncoding.Frame] {
        let stream = Stream(path: "/bench", epoch: .now())
        let recorder = DelayRecorder(epoch: stream.epoch)
        let thread: pthread_t
        do {
            thread = try startThread { recorder.run(source, into: stream) }
        } catch {
            throw SourceFailure(reason: "cannot start a thread for the \(source.label): \(error)")
        }
        let feed = recorder.attach(to: stream)
        let before = processorSeconds()
        let start = MonotonicTime.now()
        (start + Int64(seconds * 1e9)).wait()
        report.processorLoad = (processorSeconds() - before) * 1e9 / Double(MonotonicTime.now() - start)
        source.stop()
        pthread_join(thread, nil)
        withExtendedLifetime(feed) {}
        report.skipped = source.status?.skippedCount ?? 0
        (report.captureToPackets, report.withoutEncoder) = recorder.summaries
        if let failure = recorder.failure { throw failure }
        return recorder.frames
    }

    // MARK: - The encoder alone

    private static func runEncoder(
        _ video: VideoEncoderSettings, seconds: Double, into report: inout EncodingReport
    ) throws(CodecFailure) -> [PlotPoint] {
        let frames: [VideoFrame]
        do { frames = try TestCard.frames(90, video) } catch { throw CodecFailure(reason: error.reason) }
        let encoder = try VideoEncoder(video)
        report.encoder = encoder.name
        var histogram = DurationHistogram()
        var points: [PlotPoint] = []
        let interval = 1e9 / video.frameRate.framesPerSecond
        let before = processorSeconds()
        let start = MonotonicTime.now()
        for number in 0..<Int(seconds * video.frameRate.framesPerSecond) {
            (start + Int64(Double(number) * interval)).wait()
            let began = MonotonicTime.now()
            _ = try encoder.encode(
                frames[number % frames.count], track: TrackID(0),
                presentationTime: MediaTime(nanoseconds: began - start, rate: .video), forcingKeyframe: false)
            let end = MonotonicTime.now()
            histogram.record(nanoseconds: end - began)
            points.append(PlotPoint(instant: end, nanoseconds: end - began))
        }
        report.encoderLoad = (processorSeconds() - before) * 1e9 / Double(MonotonicTime.now() - start)
        report.encoderAlone = histogram.summary
        return points
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(seconds) + Double(microseconds) / 1e6
    }
}

/// Records the age of each frame when its packets have been made. Thread-safe.
private final class DelayRecorder: Waker {
    private struct State {
        var ages = DurationHistogram()
        /// The ages less the encoding times.
        var agesWithoutEncoder = DurationHistogram()
        var frames: [MeasuredEncoding.Frame] = []
        var failure: SourceFailure?
        var hasEnded = false
    }

    private let epoch: MonotonicTime
    private let state = Mutex(State())

    init(epoch: MonotonicTime) {
        self.epoch = epoch
    }

    /// The summaries of the ages, with and without the encoding times.
    var summaries: (DurationSummary?, DurationSummary?) {
        state.withLock { ($0.ages.summary, $0.agesWithoutEncoder.summary) }
    }
    var frames: [MeasuredEncoding.Frame] { state.withLock { $0.frames } }
    var failure: SourceFailure? { state.withLock { $0.failure } }

    /// Runs the source to its end.
    func run(_ source: any SupervisedSource, into stream: Stream) {
        do throws(SourceFailure) {
            try source.run(into: stream)
        } catch {
            state.withLock { $0.failure = error }
        }
        state.withLock { $0.hasEnded = true }
    }

    /// Attaches a feed, as a viewer's loop does, as soon as the source has announced its tracks; `nil` if the source ends before.
    func attach(to stream: Stream) -> Feed<TimedPackager>? {
        while !state.withLock({ $0.hasEnded }) {
            if let feed = stream.feed(TimedPackager.self, options: ObjectIdentity(self), for: self) { return feed }
            // A stream does not report its first tracks, so viewers' loops poll too. The measurement has not begun yet.
            usleep(1000)
        }
        return nil
    }

    func packaged(_ unit: AccessUnit) {
        let now = MonotonicTime.now()
        let age = now - (epoch + unit.presentationTime.nanoseconds)
        let ageWithoutEncoder = unit.encodeTiming.map { age - ($0.end - $0.begin) }
        state.withLock {
            $0.ages.record(nanoseconds: age)
            if let ageWithoutEncoder { $0.agesWithoutEncoder.record(nanoseconds: ageWithoutEncoder) }
            $0.frames.append(.init(instant: now, age: age, ageWithoutEncoder: ageWithoutEncoder))
        }
    }

    func wake() {}
}

/// The recorder as an option of a feed.
private struct ObjectIdentity: Hashable, Sendable {
    let recorder: DelayRecorder

    init(_ recorder: DelayRecorder) { self.recorder = recorder }
    static func == (one: Self, other: Self) -> Bool { one.recorder === other.recorder }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(recorder)) }
}

/// Makes RTP packets as for any viewer, and reports each unit to the recorder.
private struct TimedPackager: Packager {
    private var packager: RTPPackager
    private let recorder: DelayRecorder

    init(tracks: [Track], options: ObjectIdentity) {
        packager = RTPPackager(tracks: tracks, options: .init())
        recorder = options.recorder
    }

    mutating func package(_ unit: AccessUnit) -> PacketRun? {
        let run = packager.package(unit)
        recorder.packaged(unit)
        return run
    }
}

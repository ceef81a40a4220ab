import Codecs
import Glibc
import Logging
import Media
import Muxing
import RateControl
import Streams

/// A video file, played at its own rate and looped by default; or what a URL names that FFmpeg opens, which may be live.
///
/// H.264, H.265, AAC, Opus and G.711 pass through unchanged. Other codecs, and video with effects, are transcoded. The video and
/// audio tracks that libavformat considers best are played; subtitles and data are not.
public final class FileSource: ReconfigurableSource {
    public let label: String
    private let input: DemuxerInput
    /// Makes the opener of an `http` or `https` URL, for one run.
    private let makeOpener: (@Sendable (Interruption) -> any ResourceOpener)?
    private let loops: Bool
    private let clock: PaceClock
    private let control: EncoderControl
    private let stopSignal = StopSignal()
    private let interruption = Interruption()
    private let log: Logger

    /// - Parameters:
    ///   - loops: whether playback restarts at the end; otherwise `run` returns there.
    ///   - encoding: the settings for transcoding; without `audio`, the file's audio is not played.
    ///   - log: receives messages about encoders that do not work.
    public convenience init(
        path: String, loops: Bool = true, encoding: EncodingSettings = EncodingSettings(), log: Logger? = nil
    ) {
        self.init(
            .file(path), label: "file \(path)", loops: loops, encoding: encoding, log: log ?? .silent, clock: .host)
    }

    /// A recording or a live stream at a URL.
    ///
    /// - Parameters:
    ///   - name: the URL without user and password, for messages.
    ///   - makeOpener: makes what opens an `http` or `https` URL until it is interrupted. FFmpeg opens the others.
    public convenience init(
        url: String, name: String, loops: Bool, encoding: EncodingSettings,
        makeOpener: @escaping @Sendable (Interruption) -> any ResourceOpener, log: Logger? = nil
    ) {
        self.init(
            .url(url, name: name), makeOpener: makeOpener, label: name, loops: loops, encoding: encoding,
            log: log ?? .silent, clock: .host)
    }

    init(
        _ input: DemuxerInput, makeOpener: (@Sendable (Interruption) -> any ResourceOpener)? = nil,
        label: String = "file", loops: Bool, encoding: EncodingSettings = EncodingSettings(),
        log: Logger = .silent, clock: PaceClock
    ) {
        control = EncoderControl(encoding, log: log)
        self.log = log
        (self.input, self.makeOpener, self.label) = (input, makeOpener, label)
        self.loops = loops
        self.clock = clock
    }

    /// Requests a keyframe of transcoded video. Video that passes through has its keyframes only where the file has them.
    public func requestKeyframe() { control.requestKeyframe() }

    public func follow(_ order: EncoderOrder?) { control.follow(order) }

    /// Size and frame rate stay those of the file. `run` decides at its start whether the video passes through, depending on
    /// the effects, and this does not change until it returns.
    public func change(to encoding: EncodingSettings) { control.change(to: encoding) }

    public var status: SourceStatus? {
        let status = control.status
        return status.pictureCount > 0 ? status : nil
    }

    /// True unless the file is looped.
    public var endsForGood: Bool { !loops }

    public func stop() {
        stopSignal.raise()
        interruption.interrupt()
    }

    public func run(into stream: Stream) throws(SourceFailure) {
        try run(epoch: stream.epoch, announce: stream.announce, publish: stream.publish)
    }

    /// `run(into:)` with closures instead of a stream.
    func run(
        epoch: MonotonicTime, announce: @escaping ([Track]) -> Void, publish: @escaping (AccessUnit) -> Void
    ) throws(SourceFailure) {
        defer {
            stopSignal.consume()
            interruption.reset()
        }
        if case .file(let path) = input { try checkFile(path) }
        let audio = control.settings.audio
        let demuxer: Demuxer
        do {
            demuxer = try Demuxer(
                input, through: makeOpener?(interruption), playing: audio == nil ? [.video] : [.video, .audio],
                interruption: interruption)
        } catch {
            if error.isInterruption || stopSignal.isSet { return }
            throw SourceFailure(error)
        }
        let tracks = try demuxer.fileTracks(control, clock: clock)
        for source in demuxer.tracks {
            let warning = source.playerWarning(input.name, filters: control.settings.filters)
            if let warning { log.warning("\(warning)") }
        }
        let output = SourceOutput(epoch: epoch, announce: announce, publish: publish)
        if demuxer.isLive {
            try LivePlayback(demuxer, tracks, into: output, clock: clock, stop: stopSignal).play()
        } else {
            try FilePlayback(demuxer, tracks, into: output, clock: clock, stop: stopSignal).play(loops: loops)
        }
    }

    /// Reports a missing file with the name that was probably meant, which libavformat cannot do.
    private func checkFile(_ path: String) throws(SourceFailure) {
        guard access(path, R_OK) != 0 else { return }
        throw .unreadable(path, code: errno)
    }
}

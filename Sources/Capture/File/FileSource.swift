import Codecs
import Glibc
import Logging
import Media
import Muxing
import Streams

/// A video file, played at its own rate and looped by default.
///
/// H.264, H.265, AAC, Opus and G.711 pass through unchanged. Other codecs, and video with effects, are transcoded. The video and
/// audio tracks that libavformat considers best are played; subtitles and data are not.
public final class FileSource: ReconfigurableSource {
    public let label: String
    private let path: String
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
        self.init(path: path, loops: loops, encoding: encoding, log: log ?? .silent, clock: .host)
    }

    init(
        path: String, loops: Bool, encoding: EncodingSettings = EncodingSettings(), log: Logger = .silent,
        clock: PaceClock
    ) {
        control = EncoderControl(encoding, log: log)
        self.log = log
        self.path = path
        self.loops = loops
        self.clock = clock
        label = "file \(path)"
    }

    /// Requests a keyframe of transcoded video. Video that passes through has its keyframes only where the file has them.
    public func requestKeyframe() { control.requestKeyframe() }

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
        try checkPath()
        let audio = control.settings.audio
        let demuxer: Demuxer
        do {
            demuxer = try Demuxer(
                path: path, playing: audio == nil ? [.video] : [.video, .audio], interruption: interruption)
        } catch {
            if error.isInterruption || stopSignal.isSet { return }
            throw SourceFailure(error)
        }
        var tracks: [any FileTrack] = []
        for source in demuxer.tracks {
            tracks.append(try track(source, id: TrackID(tracks.count), hasTimes: demuxer.hasTimes))
            if let warning = source.playerWarning(path, filters: control.settings.filters) { log.warning("\(warning)") }
        }
        let playback = FilePlayback(
            demuxer: demuxer, tracks: tracks, epoch: epoch, clock: clock, stop: stopSignal, announce: announce,
            publish: publish)
        try playback.play(loops: loops)
    }

    private func track(
        _ source: DemuxedTrack, id: TrackID, hasTimes: Bool
    ) throws(SourceFailure) -> any FileTrack {
        switch source.format {
        case .h264 where !control.settings.filters.isEmpty, .h265 where !control.settings.filters.isEmpty:
            try TranscodedVideoTrack(source, control: control, clock: clock, id: id)
        case .h264(let sets, let lengthSize):
            PassthroughVideoTrack(
                source, .h264(sets), H264PictureReader(sets), lengthSize: lengthSize, id: id, hasTimes: hasTimes)
        case .h265(let sets, let lengthSize):
            PassthroughVideoTrack(
                source, .h265(sets), H265PictureReader(sets, interval: source.frameNanoseconds),
                lengthSize: lengthSize, id: id, hasTimes: hasTimes)
        case .aac(let configuration, let isADTS):
            PassthroughAudioTrack(.aac(configuration), isADTS: isADTS, id: id)
        case .opus(let channelCount):
            PassthroughAudioTrack(.opus(channelCount: channelCount), id: id)
        case .g711(let format):
            PassthroughAudioTrack(.g711(format), id: id)
        case .otherVideo:
            try TranscodedVideoTrack(source, control: control, clock: clock, id: id)
        case .otherAudio:
            try TranscodedAudioTrack(source, control.settings.audio ?? AudioEncoder.Settings(), id: id)
        }
    }

    /// Reports a missing file with the name that was probably meant, which libavformat cannot do.
    private func checkPath() throws(SourceFailure) {
        guard !path.contains("://"), access(path, R_OK) != 0 else { return }
        throw .unreadable(path, code: errno)
    }
}

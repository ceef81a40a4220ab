import Codecs
import Media
import Muxing
import Streams

/// Transcodes video to H.264 with an even size.
final class TranscodedVideoTrack: TranscodedTrack {
    let source: DemuxedTrack
    var decoder: VideoDecoder
    var offset: Int64 = 0
    private let stage: VideoEncodingStage
    private let scaler: Scaler
    private var times: FrameTimes

    /// Encodes with the settings of `control`, but with the file's size and frame rate.
    init(
        _ source: DemuxedTrack, control: EncoderControl, clock: PaceClock = .host, id: TrackID
    ) throws(SourceFailure) {
        self.source = source
        times = FrameTimes(of: source)
        // Earlier changes are already in the settings.
        _ = control.takeChange()
        let settings = control.settings.resized(
            width: max(16, source.width & ~1), height: max(16, source.height & ~1),
            frameRate: times.frameRate)
        do {
            decoder = try VideoDecoder(source.parameters)
            stage = try VideoEncodingStage(settings, track: id, control: control, clock: clock)
        } catch {
            throw SourceFailure(error)
        }
        scaler = Scaler(width: settings.video.width, height: settings.video.height)
    }

    /// The track with the parameter sets of the current encoder.
    var track: Track { stage.track }
    var revision: Int { stage.revision }

    func encode(_ frames: [DecodedVideoFrame]) throws(CodecFailure) -> [TimedUnit] {
        var result: [TimedUnit] = []
        for frame in frames {
            guard let time = times.time(of: frame, offset: offset) else { continue }
            let own = stage.settings.video
            try stage.applyRequestedChange {
                $0.resized(width: own.width, height: own.height, frameRate: own.frameRate)
            }
            let encoded = try stage.units(
                of: try scaler.scale(frame), at: MediaTime(nanoseconds: time, rate: .nanoseconds))
            result += encoded.map { TimedUnit($0, duration: times.interval) }
        }
        return result
    }
}

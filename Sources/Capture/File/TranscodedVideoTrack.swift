import Codecs
import Media
import Muxing
import Streams

/// Pictures of another codec than H.264: decoded, scaled to an even size, and coded anew.
final class TranscodedVideoTrack: TranscodedTrack {
    let source: DemuxedTrack
    var decoder: VideoDecoder
    var offset: Int64 = 0
    private let stage: VideoEncodingStage
    private let scaler: Scaler
    private let interval: Int64
    /// When the next picture is due that comes without a time.
    private var next = Int64.min
    private var lastInput = Int64.min

    /// It is coded as `control` has it; size and frame rate are the file's.
    init(
        _ source: DemuxedTrack, control: EncoderControl, clock: PaceClock = .host, id: TrackID
    ) throws(SourceFailure) {
        self.source = source
        interval =
            source.frameNanoseconds.map { min(max($0, 1_000_000), 1_000_000_000) } ?? PipeTimeline.defaultInterval
        // What was wanted before is in the settings.
        _ = control.takeChange()
        let settings = control.settings.resized(
            width: max(16, source.width & ~1), height: max(16, source.height & ~1),
            frameRate: VideoEncoder.FrameRate(Int32(1_000_000_000_000 / interval), 1000) ?? .thirty)
        do {
            decoder = try VideoDecoder(source.parameters)
            stage = try VideoEncodingStage(settings, track: id, control: control, clock: clock)
        } catch {
            throw SourceFailure(error)
        }
        scaler = Scaler(width: settings.video.width, height: settings.video.height)
    }

    /// With the parameter sets of the encoder that is in use now.
    var track: Track { stage.track }
    var revision: Int { stage.revision }

    func encode(_ pictures: [DecodedVideoFrame]) throws(CodecFailure) -> [TimedUnit] {
        var result: [TimedUnit] = []
        for picture in pictures {
            let time = picture.presentationTime.map { $0 &+ offset } ?? max(next, offset)
            next = time &+ interval
            // The encoder wants rising times; damaged ones are passed over.
            guard time > lastInput else { continue }
            lastInput = time
            let own = stage.settings.video
            try stage.changeIfWanted { $0.resized(width: own.width, height: own.height, frameRate: own.frameRate) }
            let encoded = try stage.units(
                of: try scaler.scale(picture), at: MediaTime(nanoseconds: time, rate: .nanoseconds))
            result += encoded.map { TimedUnit($0, duration: interval) }
        }
        return result
    }
}

import Codecs
import Media
import Muxing
import Streams

/// Pictures of another codec than H.264: decoded, scaled to an even size, and coded anew.
final class TranscodedPictureTrack: TranscodedTrack {
    private let id: TrackID
    let source: DemuxedTrack
    var decoder: VideoDecoder
    var offset: Int64 = 0
    private let encoder: VideoEncoder
    private let control: EncoderControl
    private let scaler: Scaler
    private let interval: Int64
    /// When the next picture is due that comes without a time.
    private var next = Int64.min
    private var lastInput = Int64.min

    /// It is coded as `control` has it; size and frame rate are the file's.
    init(_ source: DemuxedTrack, control: EncoderControl, id: TrackID) throws(SourceFailure) {
        self.source = source
        self.control = control
        interval = source.frameNanoseconds.map { min(max($0, 1_000_000), 1_000_000_000) } ?? PipeTimeline.usualInterval
        // What was wanted before is in the settings.
        _ = control.takeChange()
        let settings = control.settings.resized(
            width: max(16, source.width & ~1), height: max(16, source.height & ~1),
            frameRate: VideoEncoder.FrameRate(Int32(1_000_000_000_000 / interval), 1000) ?? .thirty)
        do {
            decoder = try VideoDecoder(source.parameters)
            encoder = try VideoEncoder(settings, report: control.tell)
        } catch {
            throw SourceFailure(error)
        }
        scaler = Scaler(width: settings.width, height: settings.height)
        self.id = id
    }

    /// With the parameter sets of the encoder that is in use now.
    var track: Track { Track(id: id, clockRate: .video, format: .h264(encoder.parameterSets)) }

    func encode(_ pictures: [DecodedPicture]) throws(CodecFailure) -> [TimedUnit] {
        var result: [TimedUnit] = []
        for picture in pictures {
            let time = picture.presentationTime.map { $0 &+ offset } ?? max(next, offset)
            next = time &+ interval
            // The encoder wants rising times; damaged ones are passed over.
            guard time > lastInput else { continue }
            lastInput = time
            changeIfWanted()
            let coded = try encoder.encode(
                try scaler.scale(picture), track: id,
                presentationTime: MediaTime(nanoseconds: time, rate: .nanoseconds),
                forcingRandomAccess: control.takeRandomAccessRequest())
            control.codedPicture(by: encoder)
            result += coded.map { TimedUnit($0, duration: interval) }
        }
        return result
    }

    private func changeIfWanted() {
        guard let wanted = control.takeChange() else { return }
        let size = encoder.settings
        do throws(CodecFailure) {
            try encoder.change(
                to: wanted.resized(width: size.width, height: size.height, frameRate: size.frameRate))
        } catch {
            control.changeFailed(error, keeping: size)
        }
    }
}

import Codecs
import Media

/// Encodes frames in the announced codec, size and profile, so that viewers need not notice that they are not the source's.
/// Confined to one thread.
final class SubstituteEncoder {
    let width: Int
    let height: Int
    private let encoder: Encoder

    private enum Encoder {
        case h264(VideoEncoder)
        case h265(H265Encoder)
    }

    /// Opens the encoder.
    ///
    /// - Parameter settings: frame rate, bitrate and keyframe interval; the rest comes from the format.
    /// - Returns: `nil` if the track is not video.
    init?(_ format: Track.Format, _ settings: VideoEncoderSettings) throws(CodecFailure) {
        var settings = settings
        settings.threads = 1
        switch format {
        case .h264(let sets):
            if let set = H264.SequenceParameterSet(parsing: sets.sequence[0]) {
                (settings.width, settings.height) = (set.width & ~1, set.height & ~1)
                settings.profile =
                    switch set.profile {
                    case 66: .baseline
                    case 77: .main
                    default: .high
                    }
            }
            // A hardware encoder is left to sources.
            settings.encoder = "libx264"
            encoder = .h264(try VideoEncoder(settings))
        case .h265(let sets):
            if let set = H265.SequenceParameterSet(parsing: sets.sequence[0]) {
                (settings.width, settings.height) = (set.width & ~1, set.height & ~1)
            }
            encoder = .h265(try H265Encoder(settings))
        case .aac, .opus, .g711: return nil
        }
        (width, height) = (settings.width, settings.height)
    }

    /// Encodes one frame of this size.
    func encode(
        _ frame: VideoFrame, track: TrackID, presentationTime time: MediaTime, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        switch encoder {
        case .h264(let encoder):
            try encoder.encode(frame, track: track, presentationTime: time, forcingKeyframe: forcingKeyframe)
        case .h265(let encoder):
            try encoder.encode(frame, track: track, presentationTime: time, forcingKeyframe: forcingKeyframe)
        }
    }
}

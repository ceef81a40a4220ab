import Codecs
import Media

/// A track that viewers are announced before any source has announced one.
public enum AnnouncedTrack: Hashable, Sendable {
    case h264(width: Int, height: Int, VideoEncoderSettings.Profile)
    case h265(width: Int, height: Int)
    /// AAC-LC with 1 to 8 channels.
    case aac(ClockRate, channelCount: Int)
    /// Opus with one or two channels.
    case opus(channelCount: Int)
    case g711(G711)

    /// H.264 with 1280×720 pixels, and AAC with 48 kHz and two channels.
    static let usual: [Self] = [.h264(width: 1280, height: 720, .high), .aac(.audio48k, channelCount: 2)]

    public var kind: Codec.Kind {
        switch self {
        case .h264, .h265: .video
        case .aac, .opus, .g711: .audio
        }
    }

    /// The track with the parameters that viewers need. Opens an encoder for them, which takes some milliseconds.
    func track(_ id: TrackID) throws(CodecFailure) -> Track {
        switch self {
        case .h264(let width, let height, let profile):
            var settings = VideoEncoderSettings().resized(width: width, height: height, frameRate: .thirty)
            (settings.encoder, settings.profile) = ("libx264", profile)
            return Track(id: id, format: .h264(try VideoEncoder(settings).parameterSets))
        case .h265(let width, let height):
            let settings = VideoEncoderSettings().resized(width: width, height: height, frameRate: .thirty)
            return Track(id: id, format: .h265(try H265Encoder(settings).parameterSets))
        case .aac(let rate, let channelCount):
            var settings = AudioEncoder.Settings()
            (settings.sampleRate, settings.channelCount) = (rate, channelCount)
            return Track(id: id, format: .aac(try AudioEncoder(settings).configuration))
        case .opus(let channelCount): return Track(id: id, format: .opus(channelCount: channelCount))
        case .g711(let format): return Track(id: id, format: .g711(format))
        }
    }
}

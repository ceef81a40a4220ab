import CFFmpeg
import Media

/// One elementary stream of a container.
public struct DemuxedTrack {
    /// The index in the container, which packets refer to.
    public let index: Int
    public let format: Format
    /// libavcodec's name of the codec, such as `h264` or `mp3`.
    public let codecName: String
    /// The average duration of a frame in nanoseconds, if the container gives it; `nil` for audio.
    public let frameNanoseconds: Int64?
    /// Pixels; 0 for audio.
    public let width: Int
    public let height: Int
    /// The degrees by which players rotate the frames clockwise: 0, 90, 180 or 270. The frames themselves are stored as captured.
    public let rotation: Int
    /// The codec parameters for opening a decoder. They are valid as long as the `Demuxer`.
    public let parameters: UnsafePointer<AVCodecParameters>

    public enum Format: Hashable, Sendable {
        /// H.264 with known parameter sets; `lengthSize` is `nil` if packets have start codes instead of lengths.
        case h264(H264.ParameterSets, lengthSize: Int?)
        /// H.265 with known parameter sets; `lengthSize` is `nil` if packets have start codes instead of lengths.
        case h265(H265.ParameterSets, lengthSize: Int?)
        /// AAC with a known configuration; in an ADTS stream each packet has its own header.
        case aac(AAC.AudioSpecificConfig, isADTS: Bool)
        /// Opus with one or two channels.
        case opus(channelCount: Int)
        case g711(G711)
        /// Video that must be transcoded.
        case otherVideo
        /// Audio that must be transcoded.
        case otherAudio
    }

    public var isVideo: Bool {
        switch format {
        case .h264, .h265, .otherVideo: true
        case .aac, .opus, .g711, .otherAudio: false
        }
    }
}

/// Encoded bytes as in the container, with times in nanoseconds from the container's origin.
public struct DemuxedPacket: Sendable {
    public let track: Int
    /// `nil` if the container does not give it.
    public let presentation: Int64?
    /// `nil` if the container does not give it.
    public let decode: Int64?
    /// 0 if unknown.
    public let duration: Int64
    public let bytes: [UInt8]
}

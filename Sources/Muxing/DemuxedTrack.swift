import CFFmpeg
import Media

/// One elementary stream of a container.
public struct DemuxedTrack {
    /// Index in the container, by which packets name their track.
    public let index: Int
    public let format: Format
    /// `h264`, `mp3`: libavcodec's name of the codec.
    public let codecName: String
    /// Nanoseconds a picture lasts on average, where the container says; `nil` for sound.
    public let frameNanoseconds: Int64?
    /// Pixels; 0 for sound.
    public let width: Int
    public let height: Int
    /// By how many degrees players of the file turn its pictures clockwise: 0, 90, 180 or 270. The pictures themselves lie as they
    /// were captured.
    public let rotation: Int
    /// What a decoder of this track is opened with; valid as long as its `Demuxer`.
    public let parameters: UnsafePointer<AVCodecParameters>

    public enum Format: Hashable, Sendable {
        /// H.264 whose parameter sets are known; `lengthSize` is `nil` where packets hold start codes instead of lengths.
        case h264(H264.ParameterSets, lengthSize: Int?)
        /// AAC whose configuration is known; in an ADTS stream each packet has its header.
        case aac(AAC.AudioSpecificConfig, isADTS: Bool)
        /// Pictures to be transcoded.
        case otherVideo
        /// Sound to be transcoded.
        case otherAudio
    }

    public var isVideo: Bool {
        switch format {
        case .h264, .otherVideo: true
        case .aac, .otherAudio: false
        }
    }
}

/// Coded bytes as the container holds them, with their times in nanoseconds from the container's origin.
public struct DemuxedPacket: Sendable {
    public let track: Int
    /// `nil` where the container does not say.
    public let presentation: Int64?
    /// `nil` where the container does not say.
    public let decode: Int64?
    /// 0 where it is not known.
    public let duration: Int64
    public let bytes: [UInt8]
}

import CFFmpeg

/// The memory layout of uncompressed audio: interleaved samples, one per channel in each frame, in the host's byte order.
public struct SampleFormat: Hashable, Sendable {
    /// The type of one sample.
    public enum Sample: Hashable, Sendable, CaseIterable {
        /// Signed 16-bit integer.
        case int16
        /// Signed 32-bit integer.
        case int32
        /// 32-bit float from −1 to 1.
        case float32

        /// libav's sample format.
        var format: AVSampleFormat {
            switch self {
            case .int16: AV_SAMPLE_FMT_S16
            case .int32: AV_SAMPLE_FMT_S32
            case .float32: AV_SAMPLE_FMT_FLT
            }
        }

        public var byteCount: Int { self == .int16 ? 2 : 4 }
    }

    public let sample: Sample
    /// Frames per second.
    public let sampleRate: Int
    public let channelCount: Int

    public init(sample: Sample, sampleRate: Int, channelCount: Int) {
        self.sample = sample
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Bytes per frame: one sample of each channel.
    public var bytesPerFrame: Int { sample.byteCount * channelCount }
}

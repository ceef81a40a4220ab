import CFFmpeg

/// How uncompressed sound lies in memory: frames of one sample per channel, back to back. In the host's byte order.
public struct SampleFormat: Hashable, Sendable {
    /// How one sample is written.
    public enum Sample: Hashable, Sendable, CaseIterable {
        /// Signed, 16 bits.
        case int16
        /// Signed, 32 bits.
        case int32
        /// From −1 to 1, 32 bits.
        case float32

        /// In libav's words.
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

    /// Bytes of one sample of all channels.
    public var bytesPerFrame: Int { sample.byteCount * channelCount }
}

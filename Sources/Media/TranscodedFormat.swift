/// A format that cameras and publishers send and viewers do not receive. Apus decodes it and encodes it again, once per stream.
///
/// It is no ``Codec``, because no viewer, container or packager ever meets it (docs/decisions/048).
public enum TranscodedFormat: Hashable, Sendable {
    case audio(Audio)
    /// JPEG frames (RFC 2435).
    ///
    /// - Parameter size: what the session description says, for frames that are too large for the packets' header.
    case motionJPEG(size: PixelSize?)

    public enum Audio: Hashable, Sendable {
        /// Samples of 16 bits in network byte order, with the channels in turn (RFC 3551, section 4.5.11).
        case l16(sampleRate: ClockRate, channelCount: Int)
        /// ITU-T G.722 with 64 kbit/s and one channel.
        case g722
    }

    /// The size of a frame in pixels.
    public struct PixelSize: Hashable, Sendable {
        public let width: Int
        public let height: Int

        /// More would need 25 MB for each decoded frame.
        private static let limit = 4_096

        /// `nil` unless both are 1 to 4096.
        public init?(width: Int, height: Int) {
            guard (1...Self.limit).contains(width), (1...Self.limit).contains(height) else { return nil }
            (self.width, self.height) = (width, height)
        }
    }

    /// The name in session descriptions (RFC 3551, section 6).
    public var encodingName: String {
        switch self {
        case .motionJPEG: "JPEG"
        case .audio(.l16): "L16"
        case .audio(.g722): "G722"
        }
    }

    /// The rate of the RTP clock.
    public var clockRate: ClockRate {
        switch self {
        case .motionJPEG: .video
        case .audio(.l16(let sampleRate, _)): sampleRate
        // 8000 Hz although there are 16 000 samples per second: an error of an old RFC that had to stay (RFC 3551, section 4.5.2).
        case .audio(.g722): .telephony
        }
    }
}

extension TranscodedFormat.Audio {
    /// Samples of each channel per second.
    public var sampleRate: Int {
        switch self {
        case .l16(let sampleRate, _): Int(sampleRate.hertz)
        case .g722: 16_000
        }
    }

    public var channelCount: Int {
        switch self {
        case .l16(_, let channelCount): channelCount
        case .g722: 1
        }
    }

    /// libavcodec's name of it.
    public var libavcodecName: String {
        switch self {
        case .l16: "pcm_s16be"
        case .g722: "adpcm_g722"
        }
    }

    /// Bytes that cannot be divided: one sample of each channel, or two of G.722.
    public var bytesPerFrame: Int {
        switch self {
        case .l16(_, let channelCount): 2 * channelCount
        case .g722: 1
        }
    }
}

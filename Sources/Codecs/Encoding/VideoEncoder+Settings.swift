extension VideoEncoder {
    /// The frame format and the encoder options.
    public struct Settings: Hashable, Sendable {
        /// `auto`, or an encoder's name in libavcodec, such as `libx264`.
        public var encoder = "auto"
        /// Whether another encoder is used if the named one does not work.
        public var encoderFallback = true
        /// Even, in pixels.
        public var width = 1280
        /// Even, in pixels.
        public var height = 720
        public var frameRate = FrameRate.thirty
        /// The colour matrix of the frames; `nil` for the one that players assume for their size.
        public var matrix: ColourMatrix?
        /// In bit/s.
        public var bitrate = 2_500_000
        /// Frames from one IDR picture to the next, unless one is requested earlier.
        public var gopFrames = 60
        /// Refreshes the frame column by column, once in `gopFrames` frames, instead of with IDR pictures. These then
        /// come only at the start and on request. Encoders without intra refresh use IDR pictures.
        public var intraRefresh = false
        public var profile = Profile.high
        /// x264's trade-off between processor time and quality: `ultrafast` … `medium`.
        public var preset = "superfast"
        /// Threads, and slices per frame: each thread encodes one slice.
        public var threads = 2
        /// The decoder buffer in frames' worth of bits. A smaller buffer means more even frame sizes and less delay.
        public var bufferFrames = 2

        public init() {}

        /// The same settings for frames of another size and rate. The GOP keeps its duration.
        public func resized(width: Int, height: Int, frameRate: FrameRate) -> Self {
            var settings = self
            (settings.width, settings.height, settings.frameRate) = (width, height, frameRate)
            let ratio = frameRate.framesPerSecond / self.frameRate.framesPerSecond
            settings.gopFrames = max(1, Int((Double(gopFrames) * ratio).rounded()))
            return settings
        }

        /// Throws if no encoder could work with these settings.
        func check() throws(CodecFailure) {
            guard VideoFrame.canHold(width: width, height: height) else {
                throw CodecFailure(
                    reason: "a frame of \(width)×\(height) cannot be encoded",
                    remedy: "choose an even width and height from 16 to \(VideoFrame.maximumSideLength)")
            }
            guard (1_000...1_000_000_000).contains(bitrate), (1...100_000).contains(gopFrames),
                (1...64).contains(threads), (1...1_000).contains(bufferFrames)
            else {
                throw CodecFailure(
                    reason: "bitrate, GOP length, threads or buffer of the encoder are out of range",
                    remedy:
                        "choose 1 kbit/s to 1 Gbit/s, a GOP of 1 to 100000 frames, 1 to 64 threads, a buffer of 1 to 1000 frames"
                )
            }
        }
    }

    /// The H.264 profile: the coding tools that a decoder must support (ITU-T H.264, Annex A).
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        case baseline
        case main
        case high
    }

    /// Frames per second as a fraction: 30000/1001 is NTSC's 29.97.
    public struct FrameRate: Hashable, Sendable, CustomStringConvertible {
        /// Positive.
        public let numerator: Int32
        /// 1 to 1001, so that 64-bit arithmetic in nanoseconds is exact.
        public let denominator: Int32

        /// `nil` unless both are positive and the rate is between 1 frame in 10 s and 1 000 frames a second.
        public init?(_ numerator: Int32, _ denominator: Int32 = 1) {
            guard numerator > 0, (1...1001).contains(denominator), Int64(numerator) * 10 >= Int64(denominator),
                Int64(numerator) <= 1000 * Int64(denominator)
            else { return nil }
            self.numerator = numerator
            self.denominator = denominator
        }

        private init(known numerator: Int32) {
            self.numerator = numerator
            denominator = 1
        }

        public static let thirty = FrameRate(known: 30)

        public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

        /// `30`, `29.97`.
        public var description: String {
            let hundredths = Int64(numerator) * 100 / Int64(denominator)
            let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
            if rest == 0 { return "\(whole)" }
            return "\(whole)." + (rest < 10 ? "0\(rest)" : "\(rest)")
        }
    }
}

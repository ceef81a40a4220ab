extension VideoEncoder {
    /// What the picture is and how it is to be coded.
    public struct Settings: Hashable, Sendable {
        /// `auto`, or an encoder's name in libavcodec: `libx264`.
        public var encoder = "auto"
        /// Whether others take the place of a named encoder that does not work.
        public var encoderFallback = true
        /// Even, in pixels.
        public var width = 1280
        /// Even, in pixels.
        public var height = 720
        public var frameRate = FrameRate.thirty
        /// Of the pictures; `nil` for the one that players suppose for their size.
        public var matrix: ColourMatrix?
        /// Bits per second.
        public var bitrate = 2_500_000
        /// Pictures from one IDR picture to the next, unless one is asked for earlier.
        public var gopFrames = 60
        /// Refreshes the picture column by column, once in `gopFrames`, instead of by IDR pictures: those come only first and
        /// when asked for. Encoders that cannot do that code IDR pictures.
        public var intraRefresh = false
        public var profile = Profile.high
        /// x264's trade of processor time for picture quality: `ultrafast` … `medium`.
        public var preset = "superfast"
        /// Threads, and with them slices per picture: each thread codes a band of the picture.
        public var threads = 2
        /// The decoder's buffer in pictures' worth of bits: the smaller, the evener the picture sizes and the lower the delay.
        public var bufferFrames = 2

        public init() {}

        /// The same for pictures of another size and rate; a group of pictures lasts as long as before.
        public func resized(width: Int, height: Int, frameRate: FrameRate) -> Self {
            var settings = self
            (settings.width, settings.height, settings.frameRate) = (width, height, frameRate)
            let ratio = frameRate.framesPerSecond / self.frameRate.framesPerSecond
            settings.gopFrames = max(1, Int((Double(gopFrames) * ratio).rounded()))
            return settings
        }

        /// Throws where no encoder could work with it.
        func check() throws(CodecFailure) {
            guard VideoFrame.canHold(width: width, height: height) else {
                throw CodecFailure(
                    reason: "a picture of \(width)×\(height) cannot be encoded",
                    remedy: "choose an even width and height from 16 to \(VideoFrame.maximumSideLength)")
            }
            guard (1_000...1_000_000_000).contains(bitrate), (1...100_000).contains(gopFrames),
                (1...64).contains(threads), (1...1_000).contains(bufferFrames)
            else {
                throw CodecFailure(
                    reason: "bitrate, GOP length, threads or buffer of the encoder are out of range",
                    remedy: "choose 1 kbit/s to 1 Gbit/s, 1 to 100000 pictures, 1 to 64 threads, 1 to 1000 pictures")
            }
        }
    }

    /// The tools that a decoder must know (ITU-T H.264, Annex A).
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        case baseline
        case main
        case high
    }

    /// Pictures per second, as a fraction: 30000/1001 is NTSC's 29.97.
    public struct FrameRate: Hashable, Sendable, CustomStringConvertible {
        /// Positive.
        public let numerator: Int32
        /// 1 to 1001, so that times in nanoseconds can be reckoned exactly in 64 bits.
        public let denominator: Int32

        /// `nil` unless both are positive and the rate lies between 1 picture in 10 s and 1 000 a second.
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

/// The frame format and the options of a video encoder.
public struct VideoEncoderSettings: Hashable, Sendable {
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
    public var preset = Preset.superfast
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

    /// The H.264 profile: the coding tools that a decoder must support (ITU-T H.264, Annex A).
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        case baseline
        case main
        case high
    }
    /// x264's trade-off between processor time and quality, from fast to slow.
    public enum Preset: String, Hashable, Sendable, CaseIterable {
        case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo
    }
}

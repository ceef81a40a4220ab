import Codecs
import RateControl

extension Configuration {
    /// How Apus encodes H.264: of the test card, of cameras, and of transcoded files, which keep their size and frame rate.
    public struct Video: Hashable, Sendable {
        public var encoder = "auto"
        /// Whether another encoder is used if the named one does not work.
        public var encoderFallback = true
        public var width = 1280
        public var height = 720
        /// How a substream with another aspect ratio shows the frames.
        public var fit = FrameFit.letterbox
        /// In frames per second.
        public var frameRate = 30
        /// In bit/s.
        public var bitrate = 2_500_000
        /// In bit/s; 0 for a tenth of `bitrate`.
        public var minimumBitrate = 0
        /// What may be reduced if the encoder follows the viewers.
        public var reduce = FrameReduction.Extent.size
        public var gopMilliseconds = 2000
        /// Whether the image is refreshed column by column instead of by keyframes.
        public var intraRefresh = false
        public var profile = VideoEncoderSettings.Profile.high
        public var preset = VideoEncoderSettings.Preset.superfast
        public var threads = 2

        public init() {}

        /// In pixels.
        public var size: (width: Int, height: Int) { (width, height) }

        /// Frames from one keyframe to the next, at least 1.
        public var gopFrames: Int { max(1, frameRate * gopMilliseconds / 1000) }
    }
}

extension Schema<Configuration.Video> {
    static var video: Self {
        Schema(
            takingEffect: .encoding,
            .text(
                "encoder", \.encoder,
                "FFmpeg's name of the encoder, such as libx264. auto takes the first of h264_nvenc, h264_qsv, h264_vaapi, "
                    + "h264_v4l2m2m, libx264 and libopenh264 that works on this host; apus devices lists them."),
            .boolean(
                "encoderFallback", \.encoderFallback,
                "Whether another encoder is used if the named one does not work. The log then names both."
            ),
            .integer(
                "width", \.width, in: 16...8192, unit: "pixels, even",
                "Width of the test card; a camera uses the nearest that it has."
            ).overHTTP(),
            .integer(
                "height", \.height, in: 16...8192, unit: "pixels, even",
                "Height of the test card; a camera uses the nearest that it has."
            ).overHTTP(),
            .choice(
                "fit", \.fit, among: [.letterbox, .crop], word: \.rawValue,
                "How a substream (stream:NAME) with another aspect ratio shows the frames: letterbox adds black bars, crop cuts "
                    + "the edges off. Other sources ignore it."),
            .integer(
                "frameRate", \.frameRate, in: 1...240, unit: "frames per second",
                "Frame rate of the test card; a camera uses the nearest that it has."
            ).formerly("framesPerSecond").short("fps").overHTTP(),
            .bitrate(
                "bitrate", \.bitrate, in: 10_000...200_000_000,
                "Target, kept within a window of two frames so that no frame waits for the network."
            ).formerly("bitsPerSecond").overHTTP(),
            .bitrate(
                "minimumBitrate", \.minimumBitrate, in: 0...200_000_000,
                "The least bitrate if it follows the viewers (rate: follow); 0 for a tenth of bitrate."),
            .choice(
                "reduce", \.reduce, among: FrameReduction.Extent.allCases, word: \.rawValue,
                "What rate: follow may reduce. bitrate: the bitrate alone. frameRate: also the frame rate, to a half, if a pixel "
                    + "gets less than 0.03 bits. size: also width and height, to a half below 0.0125 bits and to a quarter below "
                    + "0.003, because a small image is clearer then than a coarse one. Choose frameRate for recorders and "
                    + "programs that cannot continue with another size."),
            .integer(
                "gopMilliseconds", \.gopMilliseconds, in: 100...60_000, unit: "milliseconds",
                "Time from one keyframe to the next. Viewers start equally fast with every value; a recording can be cut at "
                    + "keyframes only, so a smaller value allows finer cuts."
            ).overHTTP(),
            .boolean(
                "intraRefresh", \.intraRefresh,
                "Whether the image is refreshed column by column, once in gopMilliseconds, instead of by keyframes, which "
                    + "makes the sizes of frames more even. Keyframes are then sent only if a viewer needs one to start. "
                    + "h264_nvenc, h264_qsv and libx264 support it; other encoders send keyframes."),
            .choice(
                "profile", \.profile,
                "H.264 profile. baseline is for very old devices; high gives the best image quality."),
            // Slower presets are for `apus bench encoding` only.
            .choice(
                "preset", \.preset, among: [.ultrafast, .superfast, .veryfast, .faster, .fast, .medium],
                word: \.rawValue,
                "Speed of libx264: faster presets give a lower image quality. On a small machine, a frame of 1280x720 "
                    + "takes 2.2 ms with ultrafast, 3.0 ms with superfast, 4.3 ms with veryfast."),
            .integer(
                "threads", \.threads, in: 1...64,
                "Slices of a frame that are encoded in parallel. More slices take less time and cost some image quality."
            ))
    }
}

extension VideoEncoderSettings {
    /// The settings of a path's encoder. The schema's ranges keep every conversion exact.
    init(_ video: Configuration.Video) {
        self.init()
        encoder = video.encoder
        encoderFallback = video.encoderFallback
        width = video.width
        height = video.height
        frameRate = FrameRate(Int32(clamping: video.frameRate)) ?? .thirty
        bitrate = video.bitrate
        gopFrames = video.gopFrames
        intraRefresh = video.intraRefresh
        profile = video.profile
        preset = video.preset
        threads = video.threads
    }
}

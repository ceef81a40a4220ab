import Codecs
import Media
import RateControl

/// Leaves frames out and scales the others, for viewers that cannot receive all of them.
///
/// The encoder keeps the configured frame rate and gets a larger bitrate instead, so that no new encoder has to be opened for
/// another frame rate: with half of the frames, each has twice the bits. Another size needs a new encoder.
struct FrameReducer {
    let reduction: FrameReduction
    /// What there is without a reduction.
    let frames: FrameFormat
    private let frameRate: FrameRate
    private var decimator: FrameDecimator?
    private let scaler: Scaler?

    /// - Parameter video: size and frame rate of the frames to reduce.
    init(_ reduction: FrameReduction, of video: VideoEncoderSettings) {
        self.reduction = reduction
        (frames, frameRate) = (video.frames, video.frameRate)
        let rest = reduction.applied(to: frames)
        decimator =
            reduction.frameRateDivisor > 1
            ? FrameDecimator(video.frameRate, dividedBy: reduction.frameRateDivisor) : nil
        scaler = reduction.sizeDivisor > 1 ? Scaler(width: rest.width, height: rest.height) : nil
    }

    /// What the encoder gets.
    var reducedFrames: FrameFormat { reduction.applied(to: frames) }

    var changesSize: Bool { scaler != nil }

    /// Whether it reduces frames like these in this way.
    func fits(_ reduction: FrameReduction, of video: VideoEncoderSettings) -> Bool {
        self.reduction == reduction && frames == video.frames && frameRate == video.frameRate
    }

    /// Whether the frame with this time is encoded; the first one always is. Times rise.
    mutating func takes(_ time: MediaTime) -> Bool { decimator?.takes(time) ?? true }

    /// The frame in the reduced size; `nil` if the size is not reduced.
    func scaled(_ frame: VideoFrame) throws(CodecFailure) -> VideoFrame? { try scaler?.scale(frame) }
}

extension VideoEncoderSettings {
    fileprivate var frames: FrameFormat {
        FrameFormat(width: width, height: height, framesPerSecond: frameRate.framesPerSecond)
    }

    /// The settings of an encoder that gets the rest of the frames. The GOP keeps its duration, unless the image is refreshed
    /// column by column: another period would need a new encoder.
    func reduced(by reduction: FrameReduction) -> Self {
        var settings = self
        let rest = reduction.applied(to: frames)
        (settings.width, settings.height) = (rest.width, rest.height)
        settings.bitrate *= reduction.frameRateDivisor
        if !intraRefresh { settings.gopFrames = max(1, gopFrames / reduction.frameRateDivisor) }
        return settings
    }
}

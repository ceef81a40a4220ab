import Codecs
import Media

/// How a source codes its picture, and its sound if there is to be any.
///
/// Files in other codecs keep their size and their frame rate; the test card has those of `video`.
public struct EncodingSettings: Hashable, Sendable {
    public var video = VideoEncoder.Settings()
    /// What becomes of pictures of other proportions than `video`'s: a substream's.
    public var fit = Scaler.Fit.letterbox
    /// What is done to the pictures before they are coded: a chain of libavfilter's, as `hqdn3d,hflip`; empty for nothing.
    public var filters = ""
    /// Whether the filters hide something: then no picture is shown without them, should they fail.
    public var hasPrivacyMasks = false
    /// Where the block code is drawn, after the filters; `nil` for nowhere but where the source has it by itself.
    public var timestampOverlay: TimestampOverlay.Corner?
    /// `nil` for a stream without sound.
    public var audio: AudioEncoder.Settings? = AudioEncoder.Settings()

    public init() {}

    /// Whether pictures are changed before they are coded, so they cannot pass through as they come.
    public var hasEffects: Bool { !filters.isEmpty || timestampOverlay != nil }
}

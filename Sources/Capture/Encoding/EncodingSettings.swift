import Codecs
import Media
import RateControl
import Streams

/// How a source encodes its video and audio.
///
/// Transcoded files keep their size and frame rate; the test card uses those in `video`.
public struct EncodingSettings: Hashable, Sendable {
    public var video = VideoEncoderSettings()
    /// How frames are fitted into the size in `video` if the aspect ratio differs; used by substreams.
    public var fit = FrameFit.letterbox
    /// The libavfilter chain that is applied before encoding, such as `hqdn3d,hflip`; empty for none.
    public var filters = ""
    /// Whether the filters contain privacy masks: if they fail, no frame may be shown without them.
    public var hasPrivacyMasks = false
    /// The corner for the machine-readable timestamp overlay; `nil` for the source's default (none, except for test cards).
    public var timestampOverlay: TimestampOverlay.Corner?
    /// What is left out for the viewers after effects and substreams; nothing as configured.
    public internal(set) var reduction = FrameReduction.none
    /// `nil` for a stream without audio.
    public var audio: AudioEncoder.Settings? = AudioEncoder.Settings()

    public init() {}

    /// Whether frames are changed before they are encoded. Such frames have to be decoded and cannot pass through.
    public var hasEffects: Bool { !filters.isEmpty || timestampOverlay != nil }
}

extension EncodingSettings {
    /// Why the filters cannot be used with frames of the size in `video`, and the remedy; `nil` if they work.
    ///
    /// Builds the filters and runs a few grey frames through them, which takes some milliseconds. A source with another frame
    /// size may still fail. May be called from any thread.
    public var filterFailure: SourceFailure? {
        guard !filters.isEmpty else { return nil }
        do throws(CodecFailure) {
            try VideoFilter.validate(
                filters, width: video.width, height: video.height, frameRate: video.frameRate)
            return nil
        } catch {
            return SourceFailure(error)
        }
    }
}

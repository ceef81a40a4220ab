import CFFmpeg

/// Which values mean black and white (ITU-T H.264, video_full_range_flag). What Apus codes has the limited range, which all players
/// show alike.
public enum ColourRange: Hashable, Sendable {
    /// Luma from 16 to 235, and 224 values of the colour differences.
    case limited
    /// All 256 values: JPEG, and some cameras.
    case full
}

extension DecodedVideoFrame {
    /// Limited if the picture does not say.
    public var range: ColourRange {
        get {
            let fullFormats = [
                AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P,
            ]
            let frame = reference.pointer.pointee
            let isFull = frame.color_range == AVCOL_RANGE_JPEG || fullFormats.contains { $0.rawValue == frame.format }
            return isFull && !isRGB ? .full : .limited
        }
        set { reference.pointer.pointee.color_range = newValue == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG }
    }
}

import CFFmpeg

/// The luma values of black and white (video_full_range_flag, ITU-T H.264). Apus encodes the limited range, which all players
/// show alike.
public enum ColourRange: Hashable, Sendable {
    /// Luma from 16 to 235, chroma from 16 to 240.
    case limited
    /// Values from 0 to 255, as in JPEG and from some cameras.
    case full
}

extension DecodedVideoFrame {
    /// Limited, if the frame does not say.
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

import CFFmpeg

/// The matrix that converts between RGB and luma and chroma (matrix_coefficients, ITU-T H.264, table E-5). If a player uses the
/// wrong one, reds and greens are too bright or too dark.
public enum ColourMatrix: Hashable, Sendable {
    /// BT.601: standard-definition television and JPEG. Nearly all USB cameras report it, whatever their frame size.
    case bt601
    /// BT.709: high-definition television.
    case bt709

    /// The matrix that players assume for a frame of this height if the stream does not say.
    public static func customary(height: Int) -> Self { height < 720 ? .bt601 : .bt709 }

    /// `nil` if libav's value is unspecified or is neither of the two.
    init?(_ space: AVColorSpace) {
        switch space {
        case AVCOL_SPC_BT709: self = .bt709
        case AVCOL_SPC_SMPTE170M, AVCOL_SPC_BT470BG: self = .bt601
        default: return nil
        }
    }

    var space: AVColorSpace { self == .bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M }
}

extension FrameReference {
    /// The frame's own matrix, or else the one that players assume.
    var matrix: ColourMatrix {
        get { ColourMatrix(pointer.pointee.colorspace) ?? .customary(height: Int(pointer.pointee.height)) }
        set { pointer.pointee.colorspace = newValue.space }
    }
}

extension VideoFrame {
    public var matrix: ColourMatrix {
        get { reference.matrix }
        set { reference.matrix = newValue }
    }
}

extension DecodedVideoFrame {
    public var matrix: ColourMatrix {
        get { reference.matrix }
        set { reference.matrix = newValue }
    }
}

import CFFmpeg

/// By which luma and colour differences were made of red, green and blue (ITU-T H.264, table E-5). A picture that is shown by
/// the other one has reds and greens that are too bright or too dark.
public enum ColourMatrix: Hashable, Sendable {
    /// Of television in standard definition and JPEG, and what nearly all USB cameras report, whatever their size.
    case bt601
    /// Of television in high definition.
    case bt709

    /// What players take a picture for that does not say it.
    public static func customary(height: Int) -> Self { height < 720 ? .bt601 : .bt709 }

    /// `nil` for one that libav does not know, or that is neither.
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
    /// As the picture says, else as players would take it.
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

import Codecs

/// A camera format that Apus reads (a subset of the four-character codes of Video4Linux2).
enum PixelFormat: Hashable, Sendable {
    /// Encoded by the camera and passed on unchanged.
    case h264, h265
    case motionJPEG
    case raw(RawPixelFormat, memory: Memory)

    /// Where the planes of a raw frame lie.
    enum Memory: Hashable, Sendable {
        /// All in one memory plane, one after another.
        case contiguous
        /// Each in its own memory plane.
        case separate
    }

    /// `nil` for a format that Apus does not read.
    init?(code: FourCharacterCode) {
        switch code.description {
        case "H264": self = .h264
        case "HEVC": self = .h265
        case "MJPG", "JPEG": self = .motionJPEG
        case "NV12": self = .raw(.nv12, memory: .contiguous)
        case "NV21": self = .raw(.nv21, memory: .contiguous)
        case "YU12": self = .raw(.yuv420, memory: .contiguous)
        case "422P": self = .raw(.yuv422, memory: .contiguous)
        case "YUYV": self = .raw(.yuyv, memory: .contiguous)
        case "UYVY": self = .raw(.uyvy, memory: .contiguous)
        case "YVYU": self = .raw(.yvyu, memory: .contiguous)
        case "RGB3": self = .raw(.rgb24, memory: .contiguous)
        case "BGR3": self = .raw(.bgr24, memory: .contiguous)
        case "GREY": self = .raw(.grey, memory: .contiguous)
        case "NM12": self = .raw(.nv12, memory: .separate)
        case "NM21": self = .raw(.nv21, memory: .separate)
        case "YM12": self = .raw(.yuv420, memory: .separate)
        default: return nil
        }
    }

    /// Whether the camera encodes it, each frame with reference to earlier ones.
    var isEncodedByCamera: Bool { self == .h264 || self == .h265 }

    /// Ranks formats of equal size and rate; lower is better: less processor time, less loss of detail. H.265 costs no more than H.264,
    /// but not every viewer can decode it, so it is used for modes that the camera does not have otherwise.
    var preference: Int {
        switch self {
        case .h264: 0
        case .raw(.yuv420, _), .raw(.nv12, _), .raw(.nv21, _): 1
        case .raw(.yuyv, _), .raw(.uyvy, _), .raw(.yvyu, _), .raw(.yuv422, _): 2
        case .motionJPEG: 3
        case .raw(.rgb24, _), .raw(.bgr24, _): 4
        case .h265: 5
        case .raw(.grey, _): 6
        }
    }
}

/// A four-character code (FourCC), with the first letter in the lowest byte.
struct FourCharacterCode: Hashable, Sendable, CustomStringConvertible {
    let value: UInt32

    init(value: UInt32) {
        self.value = value
    }

    /// The code that consists of the first four letters of `text`.
    init(_ text: String) {
        value = text.utf8.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// `YUYV`; non-printing bytes appear as `?`.
    var description: String {
        let letters = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
        let text = letters.map { (0x20..<0x7F).contains($0) ? Character(UnicodeScalar($0)) : "?" }
        return String(text).trimmingSuffix(" ")
    }
}

extension String {
    /// The string without trailing blanks.
    fileprivate func trimmingSuffix(_ blank: Character) -> String {
        String(self[..<(lastIndex { $0 != blank }.map(index(after:)) ?? startIndex)])
    }
}

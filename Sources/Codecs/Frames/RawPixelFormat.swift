import CFFmpeg

/// The memory layout of an uncompressed frame: the pixel formats that cameras deliver.
public enum RawPixelFormat: Hashable, Sendable, CaseIterable {
    /// 4:2:0, chroma interleaved: Cb first.
    case nv12
    /// 4:2:0, chroma interleaved: Cr first.
    case nv21
    /// 4:2:0 in three planes: I420.
    case yuv420
    /// 4:2:2 in three planes.
    case yuv422
    case yuyv
    case uyvy
    case yvyu
    case rgb24
    case bgr24
    /// Luma only.
    case grey

    /// The planes of a frame, in memory order.
    public var planes: [Plane] {
        switch self {
        case .nv12, .nv21: [Plane(bytes: 1, columns: 1, rows: 1), Plane(bytes: 2, columns: 2, rows: 2)]
        case .yuv420:
            [.init(bytes: 1, columns: 1, rows: 1)] + [Plane](repeating: .init(bytes: 1, columns: 2, rows: 2), count: 2)
        case .yuv422:
            [.init(bytes: 1, columns: 1, rows: 1)] + [Plane](repeating: .init(bytes: 1, columns: 2, rows: 1), count: 2)
        case .yuyv, .uyvy, .yvyu: [Plane(bytes: 4, columns: 2, rows: 1)]
        case .rgb24, .bgr24: [Plane(bytes: 3, columns: 1, rows: 1)]
        case .grey: [Plane(bytes: 1, columns: 1, rows: 1)]
        }
    }

    /// Whether it is RGB, so that Apus computes the luma.
    public var isRGB: Bool { self == .rgb24 || self == .bgr24 }

    /// The geometry of one plane: bytes per group of columns, and rows per plane row.
    public struct Plane: Hashable, Sendable {
        public let bytes: Int
        public let columns: Int
        public let rows: Int

        /// Bytes of samples in a row of a frame `width` pixels wide.
        public func rowByteCount(width: Int) -> Int { (width + columns - 1) / columns * bytes }
        /// Rows of a frame `height` pixels high.
        public func rowCount(height: Int) -> Int { (height + rows - 1) / rows }
    }

    var libavFormat: AVPixelFormat {
        switch self {
        case .nv12: AV_PIX_FMT_NV12
        case .nv21: AV_PIX_FMT_NV21
        case .yuv420: AV_PIX_FMT_YUV420P
        case .yuv422: AV_PIX_FMT_YUV422P
        case .yuyv: AV_PIX_FMT_YUYV422
        case .uyvy: AV_PIX_FMT_UYVY422
        case .yvyu: AV_PIX_FMT_YVYU422
        case .rgb24: AV_PIX_FMT_RGB24
        case .bgr24: AV_PIX_FMT_BGR24
        case .grey: AV_PIX_FMT_GRAY8
        }
    }
}

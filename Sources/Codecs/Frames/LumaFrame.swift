import CFFmpeg
import Media

/// The brightness of a picture's points, row by row without gaps.
public struct LumaFrame: Sendable {
    public let width: Int
    public let height: Int
    /// A byte each.
    public let samples: [UInt8]

    /// - Returns: `nil` where the samples are not as many as the size says.
    public init?(width: Int, height: Int, samples: [UInt8]) {
        guard width > 0, height > 0, samples.count == width * height else { return nil }
        (self.width, self.height, self.samples) = (width, height, samples)
    }

    /// A copy of a frame's.
    public init(_ frame: VideoFrame) {
        let luma = frame.luma
        (width, height) = (luma.width, luma.height)
        samples = (0..<height).flatMap {
            UnsafeMutableBufferPointer(start: luma.base + $0 * luma.stride, count: luma.width)
        }
    }

    /// The block codes in it, from the top.
    public var timestampOverlays: [TimestampOverlayReader.Finding] {
        guard let plane = LumaPlane(samples.span, width: width, height: height, stride: width) else { return [] }
        return TimestampOverlayReader.findings(in: plane)
    }
}

extension DecodedVideoFrame {
    /// Its brightness, at its own size whatever its format: what libswscale makes of it.
    public func luma() throws(CodecFailure) -> LumaFrame {
        let source = reference.pointer
        let grey = try FrameReference()
        grey.pointer.pointee.format = AV_PIX_FMT_GRAY8.rawValue
        (grey.pointer.pointee.width, grey.pointer.pointee.height) = (source.pointee.width, source.pointee.height)
        try grey.allocate("the brightness of a picture of \(width)×\(height)")
        let what = "a picture of \(width)×\(height) cannot be made grey"
        let context = sws_getContext(
            source.pointee.width, source.pointee.height, AVPixelFormat(source.pointee.format), source.pointee.width,
            source.pointee.height, AV_PIX_FMT_GRAY8, SWS_POINT, nil, nil, nil)
        guard let context else { throw CodecFailure(reason: what) }
        defer { sws_freeContext(context) }
        let status = sws_scale_frame(context, grey.pointer, source)
        guard status >= 0 else { throw CodecFailure(what, code: status) }
        guard let base = grey.pointer.pointee.data.0 else { throw .outOfMemory }
        let stride = Int(grey.pointer.pointee.linesize.0)
        let samples = (0..<height).flatMap { UnsafeBufferPointer(start: base + $0 * stride, count: width) }
        guard let picture = LumaFrame(width: width, height: height, samples: samples) else { throw .outOfMemory }
        return picture
    }
}

import CFFmpeg
import Media

/// The luma samples of a frame, row by row without gaps.
public struct LumaFrame: Sendable {
    public let width: Int
    public let height: Int
    /// One byte per sample.
    public let samples: [UInt8]

    /// - Returns: `nil` if the number of samples does not match the size.
    public init?(width: Int, height: Int, samples: [UInt8]) {
        guard width > 0, height > 0, samples.count == width * height else { return nil }
        (self.width, self.height, self.samples) = (width, height, samples)
    }

    /// Copies the luma samples of a frame.
    public init(_ frame: VideoFrame) {
        let luma = frame.luma
        (width, height) = (luma.width, luma.height)
        samples = (0..<height).flatMap {
            UnsafeMutableBufferPointer(start: luma.base + $0 * luma.stride, count: luma.width)
        }
    }

    /// The timestamp overlays found in it, from top to bottom.
    public var timestampOverlays: [TimestampOverlayReader.Finding] {
        guard let plane = LumaPlane(samples.span, width: width, height: height, stride: width) else { return [] }
        return TimestampOverlayReader.findings(in: plane)
    }
}

extension DecodedVideoFrame {
    /// The luma of the frame at its own size; libswscale converts any pixel format.
    public func luma() throws(CodecFailure) -> LumaFrame {
        let source = reference.pointer
        let grey = try FrameReference()
        grey.pointer.pointee.format = AV_PIX_FMT_GRAY8.rawValue
        (grey.pointer.pointee.width, grey.pointer.pointee.height) = (source.pointee.width, source.pointee.height)
        try grey.allocate("the luma of a frame of \(width)×\(height)")
        let what = "a frame of \(width)×\(height) cannot be converted to grey"
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
        guard let result = LumaFrame(width: width, height: height, samples: samples) else { throw .outOfMemory }
        return result
    }
}

import CFFmpeg

/// Converts frames of any format and size to I420 frames of one size. Confined to one thread.
public final class Scaler {
    /// What the converted frames are for.
    public enum Purpose: Hashable, Sendable {
        /// Video: limited range, and the matrix of the frame.
        case video
        /// A JPEG file: full range, and the matrix of BT.601, which readers of JPEG presuppose (JFIF 1.02).
        case jpeg
    }

    /// The parameters of a libswscale conversion.
    private struct Conversion: Hashable {
        let width: CInt
        let height: CInt
        let format: CInt
        let range: ColourRange
        /// The matrix of the frame or, if the frame is RGB, of the output.
        let matrix: ColourMatrix
        let targetWidth: CInt
        let targetHeight: CInt
        let targetMatrix: ColourMatrix
    }

    private let pool: VideoFramePool
    private let fit: FrameFit
    private let purpose: Purpose
    private var context: OpaquePointer?
    /// The parameters of `context`.
    private var conversion: Conversion?

    public init(width: Int, height: Int, fit: FrameFit = .fill, for purpose: Purpose = .video) {
        pool = VideoFramePool(width: width, height: height)
        (self.fit, self.purpose) = (fit, purpose)
    }

    deinit {
        sws_freeContext(context)
    }

    /// Scales a frame that is I420 already.
    public func scale(_ frame: VideoFrame) throws(CodecFailure) -> VideoFrame {
        try scale(DecodedVideoFrame(frame.reference))
    }

    /// Converts a frame to I420; passes it on without a copy if it is already right.
    public func scale(_ frame: DecodedVideoFrame) throws(CodecFailure) -> VideoFrame {
        let isRight = frame.width == pool.width && frame.height == pool.height
        let isI420 = frame.reference.pointer.pointee.format == AV_PIX_FMT_YUV420P.rawValue
        if purpose == .video && isRight && isI420 && frame.range == .limited { return try VideoFrame(frame.reference) }
        let placement = FramePlacement(
            of: (frame.width, frame.height), pixel: frame.sampleAspectRatio, in: (pool.width, pool.height), fit)
        // RGB has no matrix: the output gets the one that players assume.
        let matrix = frame.isRGB ? targetMatrix(for: frame) : frame.matrix
        let target = try pool.take()
        let source = try frame.reference.part(placement.source)
        let box = try target.reference.part(placement.target)
        try convert(source.pointer, frame.range, matrix, to: box.pointer, targetMatrix(for: frame))
        // Done after the conversion, which may write past the end of a row of the visible part.
        target.fillBlack(outside: placement.target, luma: purpose == .jpeg ? 0 : 16)
        target.matrix = targetMatrix(for: frame)
        return target
    }

    private func targetMatrix(for frame: DecodedVideoFrame) -> ColourMatrix {
        switch purpose {
        case .jpeg: .bt601
        case .video: frame.isRGB ? .customary(height: pool.height) : frame.matrix
        }
    }

    private func convert(
        _ source: UnsafeMutablePointer<AVFrame>, _ range: ColourRange, _ matrix: ColourMatrix,
        to target: UnsafeMutablePointer<AVFrame>, _ targetMatrix: ColourMatrix
    ) throws(CodecFailure) {
        let wanted = Conversion(
            width: source.pointee.width, height: source.pointee.height, format: source.pointee.format, range: range,
            matrix: matrix, targetWidth: target.pointee.width, targetHeight: target.pointee.height,
            targetMatrix: targetMatrix)
        if wanted != conversion { prepare(wanted) }
        let what = "a frame of \(source.pointee.width)×\(source.pointee.height) cannot be scaled"
        guard let context else { throw CodecFailure(reason: what, remedy: "convert the input to H.264") }
        let status = sws_scale_frame(context, target, source)
        guard status >= 0 else { throw CodecFailure(what, code: status, remedy: "convert the input to H.264") }
    }

    /// Opens libswscale for a conversion; `context` is `nil` if libswscale does not support it.
    private func prepare(_ wanted: Conversion) {
        sws_freeContext(context)
        conversion = wanted
        context = sws_alloc_context()
        guard let opened = context else { return }
        let targetRange: CInt = purpose == .jpeg ? 1 : 0
        // The ranges must be set before it opens: otherwise its fastest routines would not convert them.
        let options: [(String, CInt)] = [
            ("srcw", wanted.width), ("srch", wanted.height), ("src_format", wanted.format),
            ("src_range", wanted.range == .full ? 1 : 0), ("dstw", wanted.targetWidth), ("dsth", wanted.targetHeight),
            ("dst_format", AV_PIX_FMT_YUV420P.rawValue), ("dst_range", targetRange), ("sws_flags", CInt(SWS_BICUBIC)),
        ]
        for (name, value) in options { av_opt_set_int(UnsafeMutableRawPointer(opened), name, Int64(value), 0) }
        guard sws_init_context(opened, nil, nil) >= 0 else {
            sws_freeContext(context)
            context = nil
            return
        }
        // The result is ignored: between two YUV formats with one matrix there is nothing to set.
        _ = sws_setColorspaceDetails(
            opened, wanted.matrix.coefficients, wanted.range == .full ? 1 : 0, wanted.targetMatrix.coefficients,
            targetRange, 0, 1 << 16, 1 << 16)
    }
}

extension DecodedVideoFrame {
    /// The sample aspect ratio; (0, 1) if the frame does not say.
    var sampleAspectRatio: (Int, Int) {
        let proportions = reference.pointer.pointee.sample_aspect_ratio
        return (Int(proportions.num), Int(proportions.den))
    }
}

extension FrameReference {
    /// A rectangle of the frame, in the same memory.
    fileprivate func part(_ rectangle: FramePlacement.Rectangle) throws(CodecFailure) -> FrameReference {
        let (width, height) = (Int(pointer.pointee.width), Int(pointer.pointee.height))
        guard rectangle != FramePlacement.Rectangle(width: width, height: height) else { return self }
        let part = try FrameReference()
        guard av_frame_ref(part.pointer, pointer) >= 0 else { throw .outOfMemory }
        part.pointer.pointee.crop_left = rectangle.x
        part.pointer.pointee.crop_top = rectangle.y
        part.pointer.pointee.crop_right = width - rectangle.x - rectangle.width
        part.pointer.pointee.crop_bottom = height - rectangle.y - rectangle.height
        let status = av_frame_apply_cropping(part.pointer, CInt(AV_FRAME_CROP_UNALIGNED))
        guard status >= 0 else { throw CodecFailure("a frame cannot be cropped", code: status) }
        return part
    }
}

extension ColourMatrix {
    /// libswscale's coefficients of it.
    fileprivate var coefficients: UnsafePointer<CInt>? {
        sws_getCoefficients(self == .bt709 ? SWS_CS_ITU709 : SWS_CS_ITU601)
    }
}

extension VideoFrame {
    /// - Parameter blackLuma: 16 in the limited range, 0 in the full one.
    fileprivate func fillBlack(outside box: FramePlacement.Rectangle, luma blackLuma: UInt8) {
        for (plane, black, divisor) in [(luma, blackLuma, 1), (cb, 128, 2), (cr, 128, 2)] {
            let (left, right) = (box.x / divisor, (box.x + box.width) / divisor)
            let (top, bottom) = (box.y / divisor, (box.y + box.height) / divisor)
            plane.fill(x: 0..<plane.width, y: 0..<top, with: black)
            plane.fill(x: 0..<plane.width, y: bottom..<plane.height, with: black)
            plane.fill(x: 0..<left, y: top..<bottom, with: black)
            plane.fill(x: right..<plane.width, y: top..<bottom, with: black)
        }
    }
}

import CFFmpeg

/// Makes I420 pictures of one size and of limited range from pictures of any format and size. Confined to one thread.
public final class Scaler {
    /// What becomes of a picture whose proportions are not the target's.
    public enum Fit: Hashable, Sendable {
        /// It fills the target, distorted.
        case fill
        /// All of it is shown, between black bars.
        case letterbox
        /// It fills the target; what does not fit is cut off at two sides alike.
        case crop
    }

    /// What libswscale has to be told of a conversion.
    private struct Conversion: Hashable {
        let width: CInt
        let height: CInt
        let format: CInt
        let range: ColourRange
        /// Of the picture, or if that is RGB, of what is made of it.
        let matrix: ColourMatrix
        let targetWidth: CInt
        let targetHeight: CInt
    }

    private let pool: VideoFramePool
    private let fit: Fit
    private var context: OpaquePointer?
    /// Of `context`.
    private var conversion: Conversion?

    public init(width: Int, height: Int, fit: Fit = .fill) {
        pool = VideoFramePool(width: width, height: height)
        self.fit = fit
    }

    deinit {
        sws_freeContext(context)
    }

    /// The picture in I420; a picture that is so already is passed on without a copy.
    public func scale(_ picture: DecodedVideoFrame) throws(CodecFailure) -> VideoFrame {
        let isRight = picture.width == pool.width && picture.height == pool.height
        let isI420 = picture.reference.pointer.pointee.format == AV_PIX_FMT_YUV420P.rawValue
        if isRight && isI420 && picture.range == .limited { return try VideoFrame(picture.reference) }
        let placement = FramePlacement(
            of: (picture.width, picture.height), pixel: picture.sampleAspectRatio, in: (pool.width, pool.height), fit)
        // RGB has no matrix: what is made of it has the one that players suppose.
        let matrix = picture.isRGB ? .customary(height: pool.height) : picture.matrix
        let target = try pool.take()
        let source = try picture.reference.part(placement.source)
        let box = try target.reference.part(placement.target)
        try convert(source.pointer, picture.range, matrix, to: box.pointer)
        // After the conversion, which may write past the end of a row of the box.
        target.fillBlack(outside: placement.target)
        target.matrix = matrix
        return target
    }

    private func convert(
        _ source: UnsafeMutablePointer<AVFrame>, _ range: ColourRange, _ matrix: ColourMatrix,
        to target: UnsafeMutablePointer<AVFrame>
    ) throws(CodecFailure) {
        let wanted = Conversion(
            width: source.pointee.width, height: source.pointee.height, format: source.pointee.format, range: range,
            matrix: matrix, targetWidth: target.pointee.width, targetHeight: target.pointee.height)
        if wanted != conversion { prepare(wanted) }
        let what = "a picture of \(source.pointee.width)×\(source.pointee.height) cannot be scaled"
        guard let context else { throw CodecFailure(reason: what, remedy: "convert the input to H.264") }
        let status = sws_scale_frame(context, target, source)
        guard status >= 0 else { throw CodecFailure(what, code: status, remedy: "convert the input to H.264") }
    }

    /// Opens libswscale for a conversion; `context` is `nil` if it cannot do it.
    private func prepare(_ wanted: Conversion) {
        sws_freeContext(context)
        conversion = wanted
        context = sws_alloc_context()
        guard let opened = context else { return }
        // The ranges have to be known when it opens: its quickest routines would leave them as they are.
        let options: [(String, CInt)] = [
            ("srcw", wanted.width), ("srch", wanted.height), ("src_format", wanted.format),
            ("src_range", wanted.range == .full ? 1 : 0), ("dstw", wanted.targetWidth), ("dsth", wanted.targetHeight),
            ("dst_format", AV_PIX_FMT_YUV420P.rawValue), ("dst_range", 0), ("sws_flags", CInt(SWS_BICUBIC)),
        ]
        for (name, value) in options { av_opt_set_int(UnsafeMutableRawPointer(opened), name, Int64(value), 0) }
        guard sws_init_context(opened, nil, nil) >= 0 else {
            sws_freeContext(context)
            context = nil
            return
        }
        let coefficients = sws_getCoefficients(wanted.matrix == .bt709 ? SWS_CS_ITU709 : SWS_CS_ITU601)
        // Its answer tells nothing: between two formats of luma and chroma with one matrix there is nothing more to set.
        _ = sws_setColorspaceDetails(
            opened, coefficients, wanted.range == .full ? 1 : 0, coefficients, 0, 0, 1 << 16, 1 << 16)
    }
}

extension DecodedVideoFrame {
    /// (1, 1) for squares, and if it does not say.
    fileprivate var sampleAspectRatio: (Int, Int) {
        let proportions = reference.pointer.pointee.sample_aspect_ratio
        return (Int(proportions.num), Int(proportions.den))
    }
}

extension FrameReference {
    /// A rectangle of the picture, in the same memory.
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
        guard status >= 0 else { throw CodecFailure("a picture cannot be cropped", code: status) }
        return part
    }
}

extension VideoFrame {
    fileprivate func fillBlack(outside box: FramePlacement.Rectangle) {
        for (plane, black, divisor) in [(luma, UInt8(16), 1), (cb, 128, 2), (cr, 128, 2)] {
            let (left, right) = (box.x / divisor, (box.x + box.width) / divisor)
            let (top, bottom) = (box.y / divisor, (box.y + box.height) / divisor)
            plane.fill(x: 0..<plane.width, y: 0..<top, with: black)
            plane.fill(x: 0..<plane.width, y: bottom..<plane.height, with: black)
            plane.fill(x: 0..<left, y: top..<bottom, with: black)
            plane.fill(x: right..<plane.width, y: top..<bottom, with: black)
        }
    }
}

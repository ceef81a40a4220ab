import CFFmpeg

/// Makes I420 pictures of one size from pictures of any format and size. Confined to one thread.
///
/// Pictures fill the target: proportions are the caller's business.
public final class Scaler {
    private let pool: VideoFramePool
    private var context: OpaquePointer?

    public init(width: Int, height: Int) {
        pool = VideoFramePool(width: width, height: height)
    }

    deinit {
        sws_freeContext(context)
    }

    /// The picture in I420; a picture that is so already is passed on without a copy.
    public func scale(_ picture: DecodedPicture) throws(CodecFailure) -> VideoFrame {
        let source = picture.reference.pointer
        let isRight = picture.width == pool.width && picture.height == pool.height
        if isRight && source.pointee.format == AV_PIX_FMT_YUV420P.rawValue {
            return try VideoFrame(picture.reference)
        }
        let target = try pool.take()
        try convert(source, to: target.reference.pointer)
        // Only RGB is made anew, by libswscale's own matrix; all else is what it was.
        target.matrix = picture.isRGB ? .bt601 : picture.matrix
        return target
    }

    private func convert(
        _ source: UnsafeMutablePointer<AVFrame>, to target: UnsafeMutablePointer<AVFrame>
    ) throws(CodecFailure) {
        context = sws_getCachedContext(
            context, source.pointee.width, source.pointee.height, AVPixelFormat(source.pointee.format),
            target.pointee.width, target.pointee.height, AV_PIX_FMT_YUV420P, SWS_BICUBIC, nil, nil, nil)
        let what = "a picture of \(source.pointee.width)×\(source.pointee.height) cannot be scaled"
        guard let context else { throw CodecFailure(reason: what, remedy: "convert the input to H.264") }
        let status = sws_scale_frame(context, target, source)
        guard status >= 0 else { throw CodecFailure(what, code: status, remedy: "convert the input to H.264") }
    }
}

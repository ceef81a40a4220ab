import CFFmpeg

/// Brings I420 pictures into the form in which an encoder takes them. Confined to one thread.
final class FrameUpload {
    /// What the encoder is told that it gets.
    let pixelFormat: AVPixelFormat
    private let size: (width: Int, height: Int)
    private let copiesInput: Bool
    private let copies: VideoFramePool
    private let surfaces: SurfacePool?
    private var converter: OpaquePointer?
    private var converted: [FrameReference] = []

    /// Opens the device, where there is one; that fails where there is no such hardware or no driver for it.
    ///
    /// - Parameter copiesInput: whether a picture is not looked at any more when the encoder has taken it.
    init(
        _ input: EncoderModel.Input, copiesInput: Bool, width: Int, height: Int
    ) throws(CodecFailure) {
        size = (width, height)
        self.copiesInput = copiesInput
        copies = VideoFramePool(width: width, height: height)
        switch input {
        case .i420:
            (pixelFormat, surfaces) = (AV_PIX_FMT_YUV420P, nil)
        case .nv12:
            (pixelFormat, surfaces) = (AV_PIX_FMT_NV12, nil)
        case .surfaces(let device, let format):
            pixelFormat = format
            surfaces = try SurfacePool(on: device, format: format, width: width, height: height)
        }
    }

    deinit {
        sws_freeContext(converter)
    }

    /// Ties the encoder to the device on which the pictures will be.
    func attach(to context: UnsafeMutablePointer<AVCodecContext>) throws(CodecFailure) {
        context.pointee.pix_fmt = pixelFormat
        if let surfaces { context.pointee.hw_frames_ctx = try surfaces.newReference() }
    }

    /// The same picture as the encoder wants it; the frame itself where that is I420.
    func upload(_ frame: VideoFrame) throws(CodecFailure) -> FrameReference {
        guard pixelFormat != AV_PIX_FMT_YUV420P else {
            // A camera's driver takes back what it has lent as soon as the encoder has been called.
            return copiesInput ? frame.reference : try frame.owned(copies).reference
        }
        let picture = try takeConverted()
        try convert(frame.reference, to: picture)
        guard let surfaces else { return picture }
        return try surfaces.copy(picture)
    }

    /// Whether the encoder's device may read pictures in memory of other devices.
    var importsFrames: Bool { surfaces?.importsFrames ?? false }

    /// The picture where it lies, as the encoder wants it.
    func imported(_ picture: ExportedFrame) throws(CodecFailure) -> FrameReference {
        guard let surfaces else { throw .readsMemoryOnly }
        return try surfaces.imported(picture)
    }

    /// A frame in NV12 that no encoder reads any more.
    private func takeConverted() throws(CodecFailure) -> FrameReference {
        if let free = converted.first(where: \.isUnshared) { return free }
        let frame = try FrameReference()
        frame.pointer.pointee.format = AV_PIX_FMT_NV12.rawValue
        frame.pointer.pointee.width = CInt(size.width)
        frame.pointer.pointee.height = CInt(size.height)
        try frame.allocate("a picture of \(size.width)×\(size.height)")
        converted.append(frame)
        return frame
    }

    private func convert(_ source: FrameReference, to target: FrameReference) throws(CodecFailure) {
        let (width, height) = (CInt(size.width), CInt(size.height))
        converter = sws_getCachedContext(
            converter, width, height, AV_PIX_FMT_YUV420P, width, height, AV_PIX_FMT_NV12, SWS_POINT, nil, nil, nil)
        guard let converter else { throw .outOfMemory }
        let status = sws_scale_frame(converter, target.pointer, source.pointer)
        guard status >= 0 else { throw CodecFailure("a picture cannot be converted to NV12", code: status) }
    }
}

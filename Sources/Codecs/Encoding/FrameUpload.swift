import CFFmpeg

/// Converts I420 frames into the form that an encoder takes. Confined to one thread.
final class FrameUpload {
    /// The pixel format that the encoder is configured for.
    let pixelFormat: AVPixelFormat
    private let size: (width: Int, height: Int)
    private let copiesInput: Bool
    private let copies: VideoFramePool
    private let surfaces: SurfacePool?
    private var converter: OpaquePointer?
    private var converted: [FrameReference] = []

    /// Opens the device, if there is one. This fails if the hardware or its driver is missing.
    ///
    /// - Parameter copiesInput: whether the encoder no longer reads a frame after it has accepted it.
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

    /// Attaches the encoder to the device that holds the frames.
    func attach(to context: UnsafeMutablePointer<AVCodecContext>) throws(CodecFailure) {
        context.pointee.pix_fmt = pixelFormat
        if let surfaces { context.pointee.hw_frames_ctx = try surfaces.newReference() }
    }

    /// Converts a frame for the encoder; returns the frame itself if the encoder takes I420.
    func upload(_ frame: VideoFrame) throws(CodecFailure) -> FrameReference {
        guard pixelFormat != AV_PIX_FMT_YUV420P else {
            // A camera driver reuses its buffer as soon as the call to the encoder returns.
            return copiesInput ? frame.reference : try frame.owned(copies).reference
        }
        let converted = try takeConverted()
        try convert(frame.reference, to: converted)
        guard let surfaces else { return converted }
        return try surfaces.copy(converted)
    }

    /// Whether the encoder's device may be able to read frames in the memory of other devices.
    var importsFrames: Bool { surfaces?.importsFrames ?? false }

    /// Imports a frame in place for the encoder.
    func imported(_ frame: ExportedFrame) throws(CodecFailure) -> FrameReference {
        guard let surfaces else { throw .readsMemoryOnly }
        return try surfaces.imported(frame)
    }

    /// An NV12 frame that no encoder reads any more.
    private func takeConverted() throws(CodecFailure) -> FrameReference {
        if let free = converted.first(where: \.isUnshared) { return free }
        let frame = try FrameReference()
        frame.pointer.pointee.format = AV_PIX_FMT_NV12.rawValue
        frame.pointer.pointee.width = CInt(size.width)
        frame.pointer.pointee.height = CInt(size.height)
        try frame.allocate("a frame of \(size.width)×\(size.height)")
        converted.append(frame)
        return frame
    }

    private func convert(_ source: FrameReference, to target: FrameReference) throws(CodecFailure) {
        let (width, height) = (CInt(size.width), CInt(size.height))
        converter = sws_getCachedContext(
            converter, width, height, AV_PIX_FMT_YUV420P, width, height, AV_PIX_FMT_NV12, SWS_POINT, nil, nil, nil)
        guard let converter else { throw .outOfMemory }
        let status = sws_scale_frame(converter, target.pointer, source.pointer)
        guard status >= 0 else { throw CodecFailure("a frame cannot be converted to NV12", code: status) }
    }
}

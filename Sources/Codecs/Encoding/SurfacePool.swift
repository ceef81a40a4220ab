import CFFmpeg

/// Frames in the memory of a device, from which its encoder reads them. Confined to one thread.
///
/// It wraps libav's AVHWDeviceContext and AVHWFramesContext.
final class SurfacePool {
    /// Whether frames in the memory of other devices can become surfaces. libav supports that for VAAPI.
    let importsFrames: Bool
    private let format: AVPixelFormat
    private var frames: UnsafeMutablePointer<AVBufferRef>?

    /// Surfaces in use at a time: the encoder's references and the frame being copied. Quick Sync allocates all of them at once.
    private static let surfaceCount: CInt = 16

    /// Opens the first device of its kind and allocates NV12 surfaces on it.
    convenience init(on kind: AVHWDeviceType, format: AVPixelFormat, width: Int, height: Int) throws(CodecFailure) {
        let name = String(cString: av_hwdevice_get_type_name(kind))
        var device: UnsafeMutablePointer<AVBufferRef>?
        defer { av_buffer_unref(&device) }
        let opened = av_hwdevice_ctx_create(&device, kind, nil, nil, 0)
        guard opened >= 0, let device else {
            throw CodecFailure("no \(name) device can be opened", code: opened, remedy: Self.remedy)
        }
        try self.init(of: device, kind, format: format, width: width, height: height)
        let status = av_hwframe_ctx_init(frames)
        guard status >= 0 else {
            throw CodecFailure("\(name) has no surfaces of \(width)×\(height)", code: status, remedy: Self.remedy)
        }
    }

    /// Describes the surfaces without allocating any.
    init(
        of device: UnsafeMutablePointer<AVBufferRef>, _ kind: AVHWDeviceType, format: AVPixelFormat, width: Int,
        height: Int
    ) throws(CodecFailure) {
        importsFrames = kind == AV_HWDEVICE_TYPE_VAAPI
        self.format = format
        // libav keeps its own reference to the device.
        guard let frames = av_hwframe_ctx_alloc(device) else { throw .outOfMemory }
        self.frames = frames
        frames.withMemory { context in
            context.pointee.format = format
            context.pointee.sw_format = AV_PIX_FMT_NV12
            context.pointee.width = CInt(width)
            context.pointee.height = CInt(height)
            context.pointee.initial_pool_size = Self.surfaceCount
        }
    }

    deinit {
        av_buffer_unref(&frames)
    }

    private static let remedy =
        "install the device's driver and let this user open /dev/dri/renderD* (group render), or choose auto"

    /// A new reference, to be owned by an encoder.
    func newReference() throws(CodecFailure) -> UnsafeMutablePointer<AVBufferRef> {
        guard let frames, let reference = av_buffer_ref(frames) else { throw .outOfMemory }
        return reference
    }

    /// Copies a frame from memory to a surface. The surface returns to the pool with its last reference.
    func copy(_ frame: FrameReference) throws(CodecFailure) -> FrameReference {
        let surface = try FrameReference()
        let taken = av_hwframe_get_buffer(frames, surface.pointer, 0)
        guard taken >= 0 else { throw CodecFailure("no surface of the encoder's device is free", code: taken) }
        let copied = av_hwframe_transfer_data(surface.pointer, frame.pointer, 0)
        guard copied >= 0 else {
            throw CodecFailure("a frame cannot be copied to the encoder's device", code: copied)
        }
        return surface
    }

    /// A surface that uses the frame's own memory. The surface keeps a reference to the frame.
    ///
    /// - Throws: if the device cannot read that memory or that layout.
    func imported(_ frame: ExportedFrame) throws(CodecFailure) -> FrameReference {
        let surface = try FrameReference()
        surface.pointer.pointee.format = format.rawValue
        surface.pointer.pointee.hw_frames_ctx = try newReference()
        let source = try frame.frame()
        defer { withExtendedLifetime((surface, source)) {} }
        // FFmpeg's hwcontext_vaapi.c calls vaCreateSurfaces for the descriptor; it accepts one object in linear NV12.
        let flags = CInt(AV_HWFRAME_MAP_READ | AV_HWFRAME_MAP_DIRECT)
        let status = av_hwframe_map(surface.pointer, source.pointer, flags)
        guard status >= 0 else {
            throw CodecFailure("the encoder's device cannot read a frame in DMABUF", code: status)
        }
        return surface
    }
}

extension UnsafeMutablePointer<AVBufferRef> {
    /// The AVHWFramesContext that libav keeps in this buffer.
    fileprivate func withMemory(_ body: (UnsafeMutablePointer<AVHWFramesContext>) -> Void) {
        guard let data = pointee.data else { return }
        data.withMemoryRebound(to: AVHWFramesContext.self, capacity: 1, body)
    }
}

import CFFmpeg

/// An NV12 frame in a DMABUF, which an encoder's device can read in place, without a copy.
///
/// Each reader keeps a reference to the frame, and the frame keeps one to its owner, so the owner cannot overwrite the memory
/// meanwhile. To libav it is a frame in AV_PIX_FMT_DRM_PRIME.
public final class ExportedFrame {
    public let width: Int
    public let height: Int
    let buffer: DMABuffer
    private let owner: AnyObject
    private let description: UnsafeMutablePointer<AVDRMFrameDescriptor>

    /// The offset of a plane, and the bytes from one of its rows to the next.
    public struct Plane {
        public let offset: Int
        public let stride: Int

        public init(offset: Int, stride: Int) { (self.offset, self.stride) = (offset, stride) }
    }

    /// The caller has checked that both planes lie within the buffer.
    public init(
        in buffer: DMABuffer, width: Int, height: Int, luma: Plane, chroma: Plane, owner: AnyObject
    ) {
        (self.width, self.height) = (width, height)
        (self.buffer, self.owner) = (buffer, owner)
        description = .allocate(capacity: 1)
        description.initialize(to: AVDRMFrameDescriptor())
        description.pointee.nb_objects = 1
        description.pointee.objects.0 = AVDRMObjectDescriptor(
            fd: buffer.descriptor, size: buffer.byteCount, format_modifier: apus_drm_linear)
        description.pointee.nb_layers = 1
        description.pointee.layers.0.format = apus_drm_nv12
        description.pointee.layers.0.nb_planes = 2
        description.pointee.layers.0.planes.0 = AVDRMPlaneDescriptor(luma)
        description.pointee.layers.0.planes.1 = AVDRMPlaneDescriptor(chroma)
    }

    deinit { description.deallocate() }

    /// The offsets of the planes in the buffer.
    var planes: (luma: Plane, chroma: Plane) {
        let layer = description.pointee.layers.0
        return (Plane(layer.planes.0), Plane(layer.planes.1))
    }

    /// An AVFrame that describes this frame; each reference to the AVFrame keeps this frame alive.
    func frame() throws(CodecFailure) -> FrameReference {
        let reference = try FrameReference()
        let holder = Unmanaged.passRetained(self)
        let bytes = UnsafeMutableRawPointer(description).assumingMemoryBound(to: UInt8.self)
        guard
            let share = av_buffer_create(
                bytes, MemoryLayout<AVDRMFrameDescriptor>.size,
                { opaque, _ in opaque.map { Unmanaged<ExportedFrame>.fromOpaque($0).release() } },
                holder.toOpaque(), AV_BUFFER_FLAG_READONLY)
        else {
            holder.release()
            throw .outOfMemory
        }
        reference.pointer.pointee.format = AV_PIX_FMT_DRM_PRIME.rawValue
        reference.pointer.pointee.width = CInt(width)
        reference.pointer.pointee.height = CInt(height)
        reference.pointer.pointee.buf.0 = share
        reference.pointer.pointee.data.0 = bytes
        return reference
    }
}

extension AVDRMPlaneDescriptor {
    fileprivate init(_ plane: ExportedFrame.Plane) {
        self.init(object_index: 0, offset: plane.offset, pitch: plane.stride)
    }
}

extension ExportedFrame.Plane {
    fileprivate init(_ plane: AVDRMPlaneDescriptor) {
        self.init(offset: plane.offset, stride: plane.pitch)
    }
}

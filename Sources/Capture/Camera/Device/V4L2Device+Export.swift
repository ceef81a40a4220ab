import CV4L2
import Codecs
import Glibc

/// Buffers for other devices to read, as DMABUF (V4L2, "Streaming I/O (DMA buffer importing)", VIDIOC_EXPBUF).
extension V4L2Device {
    func export(_ buffer: FilledBuffer) -> [ExportedPlane]? {
        guard let filled = filled[buffer.index], let memory = memory(ofBuffer: buffer.index) else { return nil }
        return zip(memory, elements(filled.offset)).map { ExportedPlane(memory: $0, offset: Int($1)) }
    }

    /// Exported once, and kept as long as the buffer is the driver's.
    private func memory(ofBuffer index: Int) -> [DMABuffer]? {
        if let known = exports[index] { return known }
        let lengths = elements(mappings[index].byteCount).prefix(Int(mappings[index].planeCount))
        var memory: [DMABuffer] = []
        for (plane, length) in lengths.enumerated() {
            let descriptor = cv4l2_export(fd, isMultiplanar, UInt32(index), UInt32(plane))
            guard descriptor >= 0 else { return nil }
            memory.append(DMABuffer(owning: descriptor, byteCount: length))
        }
        exports[index] = memory
        return memory
    }

    /// Whether the driver exports its buffers, tried with one of its own before it is started; `nil` where it gives none, as
    /// a camera does that is in use.
    var exportsBuffers: Bool? {
        guard cv4l2_request_buffers(fd, isMultiplanar, 1) > 0 else { return nil }
        let descriptor = cv4l2_export(fd, isMultiplanar, 0, 0)
        if descriptor >= 0 { close(descriptor) }
        _ = cv4l2_request_buffers(fd, isMultiplanar, 0)
        return descriptor >= 0
    }
}

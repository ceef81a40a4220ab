import CV4L2
import Codecs
import Glibc

/// Exports buffers as DMABUF for other devices (V4L2, "Streaming I/O (DMA buffer importing)", VIDIOC_EXPBUF).
extension V4L2Device {
    func export(_ buffer: FilledBuffer) -> [ExportedPlane]? {
        guard let filled = filled[buffer.index], let memory = memory(ofBuffer: buffer.index) else { return nil }
        return zip(memory, elements(filled.offset)).map { ExportedPlane(memory: $0, offset: Int($1)) }
    }

    /// Exported once and kept until the driver's buffers are freed.
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

    /// Whether the driver exports its buffers, tried with one buffer before capture starts; `nil` if the driver allocates none,
    /// for example because the camera is in use.
    var exportsBuffers: Bool? {
        guard cv4l2_request_buffers(fd, isMultiplanar, 1) > 0 else { return nil }
        let descriptor = cv4l2_export(fd, isMultiplanar, 0, 0)
        if descriptor >= 0 { close(descriptor) }
        _ = cv4l2_request_buffers(fd, isMultiplanar, 0)
        return descriptor >= 0
    }
}

/// A frame in the driver's memory. Every reader holds a reference; after the last one, the buffer returns to the driver.
///
/// Confined to one thread, except that encoders may release it from another thread.
final class CameraFrame {
    let buffer: FilledBuffer
    /// The bytes, one region per memory plane.
    let planes: [UnsafeRawBufferPointer]
    /// Whether it may still be read after it was encoded; false if the driver would run short of buffers.
    let mayBeRetained: Bool
    // Weak because the camera is closed when its capture ends, even if an encoder still holds frames.
    private weak var device: (any CaptureDevice)?

    init(
        _ buffer: FilledBuffer, planes: [UnsafeRawBufferPointer], of device: (any CaptureDevice)?, mayBeRetained: Bool
    ) {
        (self.buffer, self.planes) = (buffer, planes)
        (self.device, self.mayBeRetained) = (device, mayBeRetained)
    }

    /// The same memory for other devices; `nil` if the driver does not export it.
    func export() -> [ExportedPlane]? { device?.export(buffer) }
}

/// A frame in the driver's memory. Who reads it holds on to it: when nobody does, its buffer goes back to the driver.
///
/// Confined to one thread; only encoders may let go of it from another.
final class CameraFrame {
    let buffer: FilledBuffer
    /// Its bytes, a region per memory plane.
    let planes: [UnsafeRawBufferPointer]
    /// Whether it may be read on when it was coded; false where the driver would run short of buffers.
    let mayBeKept: Bool
    // The camera is closed when its capture ends, whatever an encoder still holds.
    private weak var device: (any CaptureDevice)?

    init(
        _ buffer: FilledBuffer, planes: [UnsafeRawBufferPointer], of device: (any CaptureDevice)?, mayBeKept: Bool
    ) {
        (self.buffer, self.planes) = (buffer, planes)
        (self.device, self.mayBeKept) = (device, mayBeKept)
    }

    /// The same memory for other devices; `nil` where the driver does not export it.
    func export() -> [ExportedPlane]? { device?.export(buffer) }
}

import Codecs
import Media
import Streams

/// A camera at the seam between Apus and the driver: a V4L2 device, or in tests a replay. Confined to one thread.
protocol CaptureDevice: AnyObject {
    /// Formats, sizes and rates, as the driver lists them.
    var offers: [FormatOffer] { get }

    /// Asks for a format; answers what the driver made of it.
    func configure(_ choice: FormatChoice) throws(SourceFailure) -> (layout: FrameLayout, interval: FrameInterval)

    /// Makes buffers, and has the driver fill them.
    func start() throws(SourceFailure)

    /// Waits for a filled buffer, at most so long.
    ///
    /// - Returns: whether there is one.
    /// - Throws: when the device has failed or gone.
    func wait(milliseconds: Int) throws(SourceFailure) -> Bool

    /// The filled buffer that has waited longest; `nil` when there is none. It is the caller's until `release`.
    func take() throws(SourceFailure) -> FilledBuffer?

    /// The bytes of a buffer that was taken, a region per memory plane; they stay as they are until `release`.
    func bytes(of buffer: FilledBuffer) -> [UnsafeRawBufferPointer]

    /// The memory of a buffer that was taken, for another device to read until `release`: a DMABUF per memory plane; `nil`
    /// where the driver does not export it.
    func export(_ buffer: FilledBuffer) -> [ExportedPlane]?

    /// Gives a buffer back to the driver.
    func release(_ buffer: FilledBuffer) throws(SourceFailure)

    /// Asks a camera that codes for an IDR picture; false where it takes no such order.
    func forceKeyFrame() -> Bool

    /// All that can be adjusted.
    var controls: [CameraControl] { get }

    func set(_ control: CameraControl, to value: Int64) throws(SourceFailure)
}

/// A buffer that the driver has filled.
struct FilledBuffer: Hashable, Sendable {
    let index: Int
    /// When the frame was captured; `nil` where the driver's clock is not CLOCK_MONOTONIC.
    let time: MonotonicTime?
    /// Whether the driver says that something is wrong with it.
    let isDamaged: Bool
}

/// A memory plane of a filled buffer, for other devices.
struct ExportedPlane {
    let memory: DMABuffer
    /// Where the frame's bytes begin.
    let offset: Int
}

import Codecs
import Logging
import Media
import Streams

/// A camera behind the interface that tests can replace: a V4L2 device or a replay. Confined to one thread.
protocol CaptureDevice: AnyObject {
    /// Formats, sizes and rates, as the driver lists them.
    var offers: [FormatOffer] { get }

    /// Requests a format and returns what the driver has made of it.
    func configure(_ choice: FormatChoice) throws(SourceFailure) -> (layout: FrameLayout, interval: FrameInterval)

    /// Allocates buffers and starts capturing into them.
    func start() throws(SourceFailure)

    /// Waits for a filled buffer, for at most `milliseconds`.
    ///
    /// - Returns: whether there is one.
    /// - Throws: if the device has failed or was removed.
    func wait(milliseconds: Int) throws(SourceFailure) -> Bool

    /// The oldest filled buffer; `nil` if there is none. It belongs to the caller until `release`.
    func take() throws(SourceFailure) -> FilledBuffer?

    /// The bytes of a taken buffer, one region per memory plane; valid until `release`.
    func bytes(of buffer: FilledBuffer) -> [UnsafeRawBufferPointer]

    /// The memory of a taken buffer for another device to read until `release`, one DMABUF per memory plane; `nil` if the driver
    /// does not export it.
    func export(_ buffer: FilledBuffer) -> [ExportedPlane]?

    /// Returns a buffer to the driver.
    func release(_ buffer: FilledBuffer) throws(SourceFailure)

    /// Requests a keyframe from the camera's encoder; false if the camera does not support that.
    func requestKeyframe() -> Bool

    /// All adjustable controls.
    var controls: [CameraControl] { get }

    func set(_ control: CameraControl, to value: Int64) throws(SourceFailure)
}

extension CaptureDevice {
    /// Sets controls by name. A control that cannot be set is logged and skipped.
    func adjust(_ values: [String: String], log: Logger) {
        guard !values.isEmpty else { return }
        let known = controls
        for (name, text) in values.sorted(by: { $0.key < $1.key }) {
            guard let control = known.first(where: { $0.name == CameraControl.name(of: name) }) else {
                let nearest = nearestName(to: name, among: known.map(\.name)).map { "did you mean \($0)?" }
                log.warning("the camera has no control \(name); \(nearest ?? "see `apus devices`")")
                continue
            }
            do throws(CameraControl.InvalidValue) {
                let value = try control.value(of: text)
                do throws(SourceFailure) { try set(control, to: value) } catch { log.warning("\(error.reason)") }
            } catch {
                log.warning("\(error.reason)")
            }
        }
    }
}

/// A buffer that the driver has filled.
struct FilledBuffer: Hashable, Sendable {
    let index: Int
    /// When the frame was captured; `nil` if the driver's clock is not CLOCK_MONOTONIC.
    let time: MonotonicTime?
    /// Whether the driver has marked the frame as damaged.
    let isDamaged: Bool
}

/// A memory plane of a filled buffer, for other devices.
struct ExportedPlane {
    let memory: DMABuffer
    /// The position of the frame's first byte.
    let offset: Int
}

import Synchronization

/// A control of an open camera that can be set, for programs.
public struct AdjustableControl: Hashable, Sendable {
    /// The kind of its values, with the driver's own value and the present one.
    public enum Setting: Hashable, Sendable {
        case integer(ClosedRange<Int>, step: Int, usual: Int, value: Int)
        case boolean(usual: Bool, value: Bool)
        /// One of these texts.
        case choice([String], usual: String, value: String)
    }

    /// The name, as in the configuration key `camera.controls`.
    public let name: String
    public let setting: Setting

    public init(name: String, setting: Setting) {
        (self.name, self.setting) = (name, setting)
    }

    /// `nil` for a control that cannot be set, and for a button, which has no value.
    init?(_ control: CameraControl) {
        guard !control.isReadOnly else { return nil }
        name = control.name
        switch control.kind {
        case .integer:
            // The driver's numbers have 64 bits, as an Int has.
            setting = .integer(
                Int(control.range.lowerBound)...Int(control.range.upperBound), step: max(1, Int(control.step)),
                usual: Int(control.defaultValue), value: Int(control.value))
        case .boolean: setting = .boolean(usual: control.defaultValue != 0, value: control.value != 0)
        case .menu(let entries):
            let text = { (value: Int64) in entries[value] ?? "\(value)" }
            setting = .choice(
                entries.sorted { $0.key < $1.key }.map(\.value), usual: text(control.defaultValue),
                value: text(control.value))
        case .button, .other: return nil
        }
    }
}

/// The controls of a camera while it is open. Thread-safe.
final class OpenCameraControls: Sendable {
    private let state = Mutex<[AdjustableControl]?>(nil)

    /// As they were when the camera was opened, or when one was last set; `nil` while it is not open.
    var list: [AdjustableControl]? { state.withLock { $0 } }

    /// Reads the controls of the open camera, which takes some milliseconds each with USB. On the thread of the device.
    func read(from device: any CaptureDevice) {
        let controls = device.controls.compactMap(AdjustableControl.init)
        state.withLock { $0 = controls }
    }

    /// The camera is closed.
    func clear() { state.withLock { $0 = nil } }
}

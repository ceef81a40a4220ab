import CV4L2

/// How a device describes itself (VIDIOC_QUERYCAP).
struct CameraIdentity: Hashable, Sendable {
    /// The product's name: `HD Pro Webcam C920`.
    let card: String
    let driver: String
    let bus: String
    let isMultiplanar: Bool

    init(_ identity: cv4l2_identity) {
        card = withUnsafeBytes(of: identity.card) { text($0) }
        driver = withUnsafeBytes(of: identity.driver) { text($0) }
        bus = withUnsafeBytes(of: identity.bus) { text($0) }
        isMultiplanar = identity.isMultiplanar
    }
}

extension CameraControl {
    init(_ control: cv4l2_control, menu: [Int64: String]) {
        id = control.id
        title = withUnsafeBytes(of: control.name) { text($0) }
        kind =
            switch cv4l2_control_kind(rawValue: control.kind) {
            case cv4l2_control_integer: .integer
            case cv4l2_control_boolean: .boolean
            case cv4l2_control_menu: .menu(menu)
            case cv4l2_control_button: .button
            default: .other
            }
        range = min(control.minimum, control.maximum)...max(control.minimum, control.maximum)
        (step, defaultValue, value) = (control.step, control.usual, control.value)
        isReadOnly = control.isReadOnly
    }
}

/// The text in a C structure's field, up to its first zero or its end, without non-printing characters.
func text(_ bytes: UnsafeRawBufferPointer) -> String {
    let scalars = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).unicodeScalars
    return String(String.UnicodeScalarView(scalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
}

func text(_ characters: [CChar]) -> String {
    characters.withUnsafeBytes { text($0) }
}

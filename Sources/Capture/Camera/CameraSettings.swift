import Codecs

/// How a camera is captured and encoded.
public struct CameraSettings: Hashable, Sendable {
    /// The encoding; its `video` also gives the size and frame rate to request.
    public var encoding = EncodingSettings()
    /// The four-character code of the capture format, such as `YUYV`; `nil` for the best available.
    public var format: String?
    /// Values of controls by name, as text: `["power_line_frequency": "50 Hz"]`.
    public var controls: [String: String] = [:]

    public init() {}
}

extension CameraSettings {
    /// The formats to choose from. With effects, what the camera encodes is used only if nothing else is offered, because it has to be
    /// decoded.
    func eligible(_ offers: [FormatOffer]) -> [FormatOffer] {
        if let format { return offers.filter { $0.code.description == format } }
        let others = offers.filter { PixelFormat(code: $0.code).map { !$0.isEncodedByCamera } == true }
        return !encoding.hasEffects || others.isEmpty ? offers : others
    }
}

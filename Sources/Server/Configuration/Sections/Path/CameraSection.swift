extension Configuration {
    /// Settings of a camera.
    public struct Camera: Hashable, Sendable {
        /// A four-character code, or `auto`.
        public var format = "auto"
        /// Values by the names of the controls.
        public var controls: [String: String] = [:]

        public init() {}
    }
}

extension Schema<Configuration.Camera> {
    static var camera: Self {
        Schema(
            takingEffect: .encoding,
            .text(
                "format", \.format, maximumBytes: 4,
                "Capture format, such as YUYV, NV12, MJPG, H264 or HEVC. auto takes the mode with the nearest size and frame rate, and "
                    + "among several the cheapest format. apus devices lists the formats of each camera."),
            .texts(
                "controls", \.controls,
                "Values of the camera's controls, such as { brightness: 128, power_line_frequency: 50 Hz }; apus devices lists "
                    + "them. Other controls are not changed."
            ).overHTTP())
    }
}

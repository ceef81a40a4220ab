extension Configuration {
    /// Changes to the frames that Apus encodes, before it encodes them. `chain(title:size:)` has the order.
    public struct Effects: Hashable, Sendable {
        /// In the captured frame. All other effects get the masked frame.
        public var privacyMasks: [MaskRectangle] = []
        public var rotate = Rotation.none
        /// Whether left and right are swapped.
        public var mirror = false
        /// Radius of the blur, in thousandths of the frame's shorter side; 0 for none.
        public var blur = 0
        /// A filter chain for libavfilter, such as `hqdn3d,unsharp`; empty for none.
        public var filters = ""
        public var overlay = Overlay.none
        public var overlayCorner = Corner.topLeft
        /// Height of the letters, in percent of the frame's height.
        public var overlaySize = 4

        public init() {}

        /// Rotation in degrees, clockwise.
        public enum Rotation: String, CaseIterable, Sendable {
            case none = "0"
            case quarter = "90"
            case half = "180"
            case threeQuarters = "270"
        }

        /// What is drawn into the frame. The raw values are the words of the configuration.
        public enum Overlay: String, CaseIterable, Sendable {
            case none
            /// Date and time of day in the time zone of the host.
            case clock
            /// The path's title.
            case title
            case both
            /// The capture time and the number of the frame, as blocks that programs read.
            case timestampOverlay = "machineTimestamp"
        }

        /// The corner in which the overlay is drawn.
        public enum Corner: String, CaseIterable, Sendable {
            case topLeft, topRight, bottomLeft, bottomRight
        }
    }
}

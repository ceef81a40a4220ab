extension Configuration {
    /// What is done to the pictures that Apus codes, before it codes them. `Effects+Chain.swift` has the order.
    public struct Effects: Hashable, Sendable {
        /// Of the picture as captured; what they cover is gone for all else here.
        public var privacyMasks: [MaskRectangle] = []
        public var rotate = Rotation.none
        /// Whether left and right change places.
        public var mirror = false
        /// How far a point is spread, in thousandths of the picture's shorter side; 0 for not at all.
        public var blur = 0
        /// A chain of libavfilter's, as `hqdn3d,unsharp`; empty for none.
        public var filters = ""
        public var overlay = Overlay.none
        public var overlayCorner = Corner.topLeft
        /// Height of the letters in percent of the picture's.
        public var overlaySize = 4

        public init() {}

        /// By how many degrees the picture is turned, clockwise.
        public enum Rotation: String, CaseIterable, Sendable {
            case none = "0"
            case quarter = "90"
            case half = "180"
            case threeQuarters = "270"
        }

        /// What is written into the picture.
        public enum Overlay: String, CaseIterable, Sendable {
            case none
            /// Date and time of day in the time zone of the machine.
            case clock
            /// The path's title.
            case title
            case both
            /// The time of capture and the picture's number, for machines: `TimestampOverlay`.
            case timestampOverlay = "blockCode"
        }

        /// Where it is written.
        public enum Corner: String, CaseIterable, Sendable {
            case topLeft, topRight, bottomLeft, bottomRight
        }
    }
}

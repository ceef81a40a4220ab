import Media
import Yams

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
        /// The corner in which the overlay is drawn.
        public var overlayCorner = TimestampOverlay.Corner.topLeft
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
    }
}

// The options are in the order in which the effects are applied.
extension Schema<Configuration.Effects> {
    static var effects: Self {
        Schema(
            takingEffect: .encoding,
            .rectangles(
                "privacyMasks", \.privacyMasks,
                "Rectangles that are painted black before all other effects: left, top, width and height of each, in percent of "
                    + "the captured frame, or in pixels of a frame of video.width by video.height."
            ).overHTTP(),
            .choice(
                "rotate", \.rotate, unit: "degrees, clockwise",
                "Rotates the frame; 90 and 270 swap width and height."
            ).overHTTP(),
            .boolean("mirror", \.mirror, "Whether left and right are swapped, after the rotation.").overHTTP(),
            .integer(
                "blur", \.blur, in: 0...100, unit: "thousandths of the frame's shorter side",
                "Radius of the blur: with enough of it one sees that a person is there, but cannot recognise the person; 0 "
                    + "for none."
            ).overHTTP(),
            .text(
                "filters", \.filters, maximumBytes: 4000,
                "More filters, in the syntax of ffmpeg -vf, such as hqdn3d,unsharp. ffmpeg -filters lists them."),
            .choice(
                "overlay", \.overlay, formerWords: ["blockCode": "machineTimestamp"],
                "What is drawn into the frame: clock, the date and time of day; title, the path's title; both, side by side; "
                    + "machineTimestamp, the time of capture as black and white blocks, from which apus measure computes the "
                    + "latency of a screenshot (docs/timestamp-overlay.md)."
            ).overHTTP(),
            .choice(
                "overlayCorner", \.overlayCorner,
                "The corner of the overlay. With both, the clock is in this corner."
            ).overHTTP(),
            .integer(
                "overlaySize", \.overlaySize, in: 1...50, unit: "percent of the frame's height",
                "Height of the letters."
            ).overHTTP())
    }
}

/// Each rectangle costs some time in every frame.
private let maximumRectangles = 32

extension Entry {
    /// Rectangles, each a list of four lengths.
    fileprivate static func rectangles(
        _ key: String, _ member: WritableKeyPath<Section, [MaskRectangle]>, _ reason: String
    ) -> Self {
        let expectation = "a list of at most \(maximumRectangles), each as [5%, 0%, 12.5%, 100%] or [64, 0, 160, 720]"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .sequence(let sequence) = node, sequence.count <= maximumRectangles else {
                    return reading.note("expects \(expectation), not \(node.kind)", at: node, path)
                }
                section[keyPath: member] = sequence.enumerated().compactMap { index, item -> MaskRectangle? in
                    let path = path + "\(index + 1)"
                    reading.remember(path, at: item)
                    if let rectangle = item.lengths.flatMap(MaskRectangle.init) { return rectangle }
                    reading.note(
                        "expects left, top, width and height within the frame, all in percent or all in pixels",
                        at: item, path)
                    return nil
                }
            },
            content: .option(
                OptionText(expectation: expectation, reason: reason) { section in
                    "[\(section[keyPath: member].map(\.description).joined(separator: ", "))]"
                }),
            form: OptionForm(.rectangles(maximumCount: maximumRectangles), member) { .list($0.map(\.setting)) })
    }
}

extension Node {
    /// The texts of a list of four; `nil` for other nodes, and if there is an anchor.
    fileprivate var lengths: [String]? {
        guard case .sequence(let sequence) = self, anchor == nil, sequence.count == 4 else { return nil }
        let texts = sequence.compactMap { node -> String? in
            guard case .scalar(let scalar) = node, scalar.anchor == nil else { return nil }
            return scalar.string
        }
        return texts.count == 4 ? texts : nil
    }
}

import Yams

// The options of a path's effects, in the order in which they take place.

extension Schema<Configuration.Effects> {
    static var effects: Self {
        Schema([
            .rectangles(
                "privacyMasks", \.privacyMasks,
                "Parts of the picture that are black, before anything else is done to it: left, top, width and height of "
                    + "each, in percent of the picture as captured, or in pixels of one of video.width by video.height."
            ),
            .choice(
                "rotate", \.rotate, unit: "degrees, clockwise", "Turns the picture; 90 and 270 swap width and height."),
            .boolean("mirror", \.mirror, "Whether left and right change places, after turning."),
            .integer(
                "blur", \.blur, in: 0...100, unit: "thousandths of the picture's shorter side",
                "How far each point is spread, so that one sees that somebody is there, but not who; 0 for not at all."),
            .text(
                "filters", \.filters, maximumBytes: 4000,
                "Further filters, as ffmpeg -vf takes them: hqdn3d,unsharp. See ffmpeg -filters."),
            .choice(
                "overlay", \.overlay,
                "What is written into the picture: the time of day, the path's title, both side by side, or the time of "
                    + "capture as a code that apus measure reads from a screenshot (docs/block-code.md)."),
            .choice("overlayCorner", \.overlayCorner, "Where it is written; of both, the clock is here."),
            .integer(
                "overlaySize", \.overlaySize, in: 1...50, unit: "percent of the picture's height",
                "Size of the letters."),
        ])
    }
}

/// Each costs some time for every picture.
private let mostRectangles = 32

extension Entry {
    /// Rectangles, each a list of four lengths.
    fileprivate static func rectangles(
        _ key: String, _ member: WritableKeyPath<Section, [MaskRectangle]>, _ reason: String
    ) -> Self {
        let expectation = "a list of at most \(mostRectangles), each as [5%, 0%, 12.5%, 100%] or [64, 0, 160, 720]"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .sequence(let sequence) = node, sequence.count <= mostRectangles else {
                    return reading.note("expects \(expectation), not \(node.kind)", at: node, path)
                }
                section[keyPath: member] = sequence.enumerated().compactMap { index, item -> MaskRectangle? in
                    let path = path + "\(index + 1)"
                    reading.remember(path, at: item)
                    if let rectangle = item.lengths.flatMap(MaskRectangle.init) { return rectangle }
                    reading.note(
                        "expects left, top, width and height within the picture, all in percent or all in pixels",
                        at: item, path)
                    return nil
                }
            },
            reference: { section, indent in
                let value = "[\(section[keyPath: member].map(\.description).joined(separator: ", "))]"
                return optionLines(key, value: value, expecting: expectation, reason, indent: indent)
            })
    }
}

extension Node {
    /// The texts of a list of four; `nil` where it is something else, or has an anchor.
    fileprivate var lengths: [String]? {
        guard case .sequence(let sequence) = self, anchor == nil, sequence.count == 4 else { return nil }
        let texts = sequence.compactMap { node -> String? in
            guard case .scalar(let scalar) = node, scalar.anchor == nil else { return nil }
            return scalar.string
        }
        return texts.count == 4 ? texts : nil
    }
}

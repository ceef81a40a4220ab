/// The visible part of a frame, and its position in a target of another size. All numbers are even because chroma is halved.
struct FramePlacement: Hashable {
    struct Rectangle: Hashable {
        var x = 0
        var y = 0
        var width: Int
        var height: Int
    }

    /// In the source frame.
    var source: Rectangle
    /// In the target.
    var target: Rectangle

    /// - Parameters:
    ///   - frame: the frame's size in pixels, at most 16384 a side.
    ///   - pixel: the sample aspect ratio of the frame; (1, 1) for square pixels. The target has square pixels.
    init(
        of frame: (width: Int, height: Int), pixel: (Int, Int), in size: (width: Int, height: Int), _ fit: FrameFit
    ) {
        source = Rectangle(width: frame.width, height: frame.height)
        target = Rectangle(width: size.width, height: size.height)
        // 2¹⁴ · 2¹⁴ · 2¹⁴ · 2¹⁶ < 2⁶³. A larger aspect ratio is not plausible.
        let isSane = (1...65_536).contains(pixel.0) && (1...65_536).contains(pixel.1)
        let pixel = isSane ? pixel : (1, 1)
        let (width, height) = (frame.width * pixel.0, frame.height * pixel.1)
        let isWider = width * size.height > height * size.width
        switch (fit, isWider) {
        case (.fill, _): break
        case (.letterbox, true):
            (target.y, target.height) = Self.middle(of: size.height, size.width * height, width)
        case (.letterbox, false):
            (target.x, target.width) = Self.middle(of: size.width, size.height * width, height)
        case (.crop, true):
            (source.x, source.width) = Self.middle(
                of: frame.width, frame.width * height * size.width, width * size.height)
        case (.crop, false):
            (source.y, source.height) = Self.middle(
                of: frame.height, frame.height * width * size.height, height * size.width)
        }
    }

    /// The middle part of a side, `numerator / denominator` long: its start and length, rounded to even numbers.
    private static func middle(of side: Int, _ numerator: Int, _ denominator: Int) -> (start: Int, length: Int) {
        let nearest = (numerator + denominator) / (2 * denominator) * 2
        let length = min(max(nearest, 2), side)
        return ((side - length) / 2 & ~1, length)
    }
}

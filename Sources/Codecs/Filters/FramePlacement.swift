/// Which part of a picture is shown, and where in a picture of another size. All numbers are even, as chroma needs.
struct FramePlacement: Hashable {
    struct Rectangle: Hashable {
        var x = 0
        var y = 0
        var width: Int
        var height: Int
    }

    /// In the picture.
    var source: Rectangle
    /// In the target.
    var target: Rectangle

    /// - Parameters:
    ///   - picture: its size in pixels, at most 16384 a side.
    ///   - pixel: the proportions of its pixels; (1, 1) for squares. The target's are squares.
    init(
        of picture: (width: Int, height: Int), pixel: (Int, Int), in size: (width: Int, height: Int), _ fit: Scaler.Fit
    ) {
        source = Rectangle(width: picture.width, height: picture.height)
        target = Rectangle(width: size.width, height: size.height)
        // 2¹⁴ · 2¹⁴ · 2¹⁴ · 2¹⁶ < 2⁶³. Proportions beyond that are not to be trusted.
        let isSane = (1...65_536).contains(pixel.0) && (1...65_536).contains(pixel.1)
        let pixel = isSane ? pixel : (1, 1)
        let (width, height) = (picture.width * pixel.0, picture.height * pixel.1)
        let isWider = width * size.height > height * size.width
        switch (fit, isWider) {
        case (.fill, _): break
        case (.letterbox, true):
            (target.y, target.height) = Self.middle(of: size.height, size.width * height, width)
        case (.letterbox, false):
            (target.x, target.width) = Self.middle(of: size.width, size.height * width, height)
        case (.crop, true):
            (source.x, source.width) = Self.middle(
                of: picture.width, picture.width * height * size.width, width * size.height)
        case (.crop, false):
            (source.y, source.height) = Self.middle(
                of: picture.height, picture.height * width * size.height, height * size.width)
        }
    }

    /// The middle part of a side, `numerator / denominator` long: where it begins, and how long it is, to the nearest even number.
    private static func middle(of side: Int, _ numerator: Int, _ denominator: Int) -> (start: Int, length: Int) {
        let nearest = (numerator + denominator) / (2 * denominator) * 2
        let length = min(max(nearest, 2), side)
        return ((side - length) / 2 & ~1, length)
    }
}

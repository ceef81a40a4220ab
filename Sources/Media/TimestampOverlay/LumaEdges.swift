/// The positions on a row of a frame where bright changes to dark or dark to bright.
struct LumaEdges {
    /// Positions between two samples, from the left. Falling and rising edges alternate, beginning at `firstIsFalling`.
    private(set) var places: [Double] = []
    private(set) var firstIsFalling = false

    /// The luma has a turning point where it comes back from a peak or trough by `sensitivity`. An edge is halfway in luma
    /// between two turning points, so the brightness and contrast of the frame do not matter.
    init(of plane: borrowing LumaPlane, row: Int, sensitivity: Int) {
        guard var (last, extreme) = Self.firstTurningPoint(of: plane, row, sensitivity) else { return }
        var isRising = extreme.level > last.level
        firstIsFalling = !isRising
        for x in extreme.x + 1..<max(extreme.x + 1, plane.width) {
            let level = plane[x, row]
            let advance = isRising ? level - extreme.level : extreme.level - level
            if advance > 0 {
                extreme = (x, level)
            } else if -advance >= sensitivity {
                append(from: last, to: extreme, plane, row)
                (last, extreme, isRising) = (extreme, (x, level), !isRising)
            }
        }
        append(from: last, to: extreme, plane, row)
    }

    private typealias TurningPoint = (x: Int, level: Int)

    /// The first peak or trough, and the position where the luma has come away from it by `sensitivity`.
    private static func firstTurningPoint(
        of plane: borrowing LumaPlane, _ row: Int, _ sensitivity: Int
    ) -> (turn: TurningPoint, next: TurningPoint)? {
        var lowest = (x: 0, level: plane[0, row])
        var highest = lowest
        for x in 0..<plane.width {
            let level = plane[x, row]
            if level < lowest.level { lowest = (x, level) }
            if level > highest.level { highest = (x, level) }
            if level - lowest.level >= sensitivity { return (lowest, (x, level)) }
            if highest.level - level >= sensitivity { return (highest, (x, level)) }
        }
        return nil
    }

    private mutating func append(
        from start: TurningPoint, to end: TurningPoint, _ plane: borrowing LumaPlane, _ row: Int
    ) {
        let half = Double(start.level + end.level) / 2
        let isFalling = end.level < start.level
        var before = Double(start.level)
        for x in start.x + 1..<end.x + 1 {
            let level = Double(plane[x, row])
            if isFalling ? level <= half : level >= half {
                // The middle of a sample is at one half.
                places.append(Double(x) - 0.5 + (level == before ? 0 : (half - before) / (level - before)))
                return
            }
            before = level
        }
    }

    func isFalling(_ index: Int) -> Bool { (index % 2 == 0) == firstIsFalling }
}

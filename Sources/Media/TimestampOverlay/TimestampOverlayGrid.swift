/// The positions of an overlay's cells in a frame, with its black and white levels.
struct TimestampOverlayGrid {
    /// The outer edges of the bars, from the first row of bits to the last.
    private var rows: [(left: Point, right: Point)] = []
    private let heights: (left: Double, right: Double)
    private let thresholds: (left: Double, right: Double)
    let x: ClosedRange<Double>
    let y: ClosedRange<Double>

    private typealias Point = (x: Double, y: Double)

    /// Follows the thick bars up and down from the row where they were found, and their outer edges from row to row.
    ///
    /// - Returns: `nil` if they are not the bars of one overlay.
    init?(_ bars: BarPair, row: Int, in plane: borrowing LumaPlane) {
        let cell = (bars.right - bars.left) / Double(TimestampOverlay.innerColumnCount)
        let (left, right) = (bars.left + 1.5 * cell, bars.right - 1.5 * cell)
        let y = Double(row) + 0.5
        guard let leftThreshold = Self.threshold(black: left, white: bars.left - 0.5 * cell, y: y, in: plane),
            let rightThreshold = Self.threshold(black: right, white: bars.right + 0.5 * cell, y: y, in: plane),
            let first = Self.extent(x: left, y: y, cell: cell, leftThreshold, in: plane),
            let second = Self.extent(x: right, y: y, cell: cell, rightThreshold, in: plane)
        else { return nil }
        thresholds = (leftThreshold, rightThreshold)
        heights = (first.upperBound - first.lowerBound, second.upperBound - second.lowerBound)
        guard heights.left < heights.right * 1.3, heights.right < heights.left * 1.3 else { return nil }
        for index in 0..<TimestampOverlay.innerRowCount {
            let part = (Double(index) + 0.5) / Double(TimestampOverlay.innerRowCount)
            let (leftY, rightY) = (first.lowerBound + part * heights.left, second.lowerBound + part * heights.right)
            guard let outerLeft = Self.crossing(left, leftY, dx: -0.25, within: 4 * cell, leftThreshold, in: plane),
                let outerRight = Self.crossing(right, rightY, dx: 0.25, within: 4 * cell, rightThreshold, in: plane)
            else { return nil }
            rows.append(((outerLeft, leftY), (outerRight, rightY)))
        }
        x = bars.left...bars.right
        self.y = min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
    }

    /// All bits, row by row: a cell is white if its middle is white.
    func bits(in plane: borrowing LumaPlane) -> [Bool] {
        var bits: [Bool] = []
        bits.reserveCapacity(TimestampOverlay.innerRowCount * TimestampOverlay.bitsPerRow)
        for (left, right) in rows {
            let span = (x: right.x - left.x, y: right.y - left.y)
            for bit in 0..<TimestampOverlay.bitsPerRow {
                let part = (Double(TimestampOverlay.firstBit + bit) + 0.5) / Double(TimestampOverlay.innerColumnCount)
                let middle = (x: left.x + part * span.x, y: left.y + part * span.y)
                let height = heights.left + part * (heights.right - heights.left)
                let cell = (
                    width: span.x / Double(TimestampOverlay.innerColumnCount),
                    height: height / Double(TimestampOverlay.innerRowCount)
                )
                let threshold = thresholds.left + part * (thresholds.right - thresholds.left)
                bits.append(Self.level(around: middle, cell, in: plane) > threshold)
            }
        }
        return bits
    }

    /// The average over the inner half of a cell, in both directions.
    private static func level(
        around middle: Point, _ cell: (width: Double, height: Double), in plane: borrowing LumaPlane
    ) -> Double {
        let steps = [-0.25, -0.08, 0.08, 0.25]
        var sum = 0.0
        for down in steps {
            for across in steps {
                sum += plane.level(x: middle.x + across * cell.width, y: middle.y + down * cell.height)
            }
        }
        return sum / Double(steps.count * steps.count)
    }
}

// MARK: - Layout

extension TimestampOverlayGrid {
    /// A smaller contrast is noise.
    private static let leastContrast = 12.0

    /// Halfway between black and white.
    private static func threshold(
        black: Double, white: Double, y: Double, in plane: borrowing LumaPlane
    ) -> Double? {
        let (black, white) = (plane.level(x: black, y: y), plane.level(x: white, y: y))
        return white - black >= leastContrast ? (white + black) / 2 : nil
    }

    /// The upper and lower ends of a bar; `nil` if no overlay can have that height.
    private static func extent(
        x: Double, y: Double, cell: Double, _ threshold: Double, in plane: borrowing LumaPlane
    ) -> Range<Double>? {
        let longest = 4 * cell * Double(TimestampOverlay.innerRowCount)
        guard let top = crossing(x, y, dy: -0.25, within: longest, threshold, in: plane),
            let bottom = crossing(x, y, dy: 0.25, within: longest, threshold, in: plane)
        else { return nil }
        let height = (bottom - top) / Double(TimestampOverlay.innerRowCount)
        return height >= 1.5 && height > cell / 4 ? top..<bottom : nil
    }

    /// The distance to the place where the luma rises above `threshold`, in steps of a quarter of a sample.
    private static func crossing(
        _ x: Double, _ y: Double, dx: Double = 0, dy: Double = 0, within distance: Double, _ threshold: Double,
        in plane: borrowing LumaPlane
    ) -> Double? {
        for step in 0..<Int(min(distance, Double(plane.width + plane.height)) * 4) {
            let (x, y) = (x + Double(step) * dx, y + Double(step) * dy)
            guard (0...Double(plane.width)).contains(x), (0...Double(plane.height)).contains(y) else { return nil }
            if plane.level(x: x, y: y) > threshold { return dx == 0 ? y : x }
        }
        return nil
    }
}

/// Finds timestamp overlays in frames of any size, at any position and scale, even if width and height are scaled differently.
///
/// It searches every third row for the bars at both ends of an overlay and derives the grid from them, so it also reads
/// overlays that are slightly rotated or seen at an angle. The CRC prevents wrong results.
public enum TimestampOverlayReader {
    /// An overlay and its position.
    public struct Finding: Hashable, Sendable {
        public let code: TimestampOverlay
        /// The box around the bars in pixels; the quiet zone is outside.
        public let x: ClosedRange<Double>
        public let y: ClosedRange<Double>
    }

    /// The overlays in a frame, from top to bottom.
    public static func findings(in plane: borrowing LumaPlane) -> [Finding] {
        for sensitivity in sensitivities {
            let found = search(plane, sensitivity: sensitivity)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Steps of luma that make an edge: first a large one, which noise does not reach, then a small one for pale frames.
    private static let sensitivities = [80, 20]
    /// Cells smaller than two pixels cannot be read, so an overlay is at least eight rows high.
    private static let rowStep = 3
    /// Noise in 4K contains some thousand pairs of false bars, a malicious frame hundreds of thousands. This many grids are tried
    /// in half a second.
    private static let maximumLayoutCount = 20_000

    private static func search(_ plane: borrowing LumaPlane, sensitivity: Int) -> [Finding] {
        var found: [Finding] = []
        var layouts = 0
        for row in stride(from: 1, to: plane.height, by: rowStep) {
            let edges = LumaEdges(of: plane, row: row, sensitivity: sensitivity)
            for bars in BarPair.all(in: edges) {
                let middle = Double(row) + 0.5
                if found.contains(where: { $0.y.contains(middle) && $0.x.overlaps(bars.left...bars.right) }) {
                    continue
                }
                layouts += 1
                if layouts > maximumLayoutCount { return found }
                guard let grid = TimestampOverlayGrid(bars, row: row, in: plane),
                    let code = TimestampOverlay(bits: grid.bits(in: plane))
                else { continue }
                found.append(Finding(code: code, x: grid.x, y: grid.y))
            }
        }
        return found
    }
}

/// Candidates for the bars at both ends of an overlay, on one row: their outer edges.
struct BarPair {
    let left: Double
    let right: Double

    /// Black bars of 3 and 1 cells with 1 white cell between them, and their mirror image at the right distance.
    static func all(in edges: LumaEdges) -> [BarPair] {
        let places = edges.places
        guard places.count >= 8 else { return [] }
        var pairs: [BarPair] = []
        for start in stride(from: edges.isFalling(0) ? 0 : 1, to: places.count - 7, by: 2) {
            guard let cell = cellWidth(between: places[start], places[start + 1], places[start + 2], places[start + 3])
            else {
                continue
            }
            let left = places[start]
            var end = start + 7
            while end < places.count, places[end] - left < Double(TimestampOverlay.innerColumnCount) * cell * 1.2 {
                defer { end += 2 }
                let width = (places[end] - left) / Double(TimestampOverlay.innerColumnCount)
                guard similar(width, cell, within: 0.2),
                    let other = cellWidth(between: -places[end], -places[end - 1], -places[end - 2], -places[end - 3]),
                    similar(other, cell, within: 0.3)
                else { continue }
                pairs.append(BarPair(left: left, right: places[end]))
            }
        }
        return pairs
    }

    /// The width of a cell if these edges bound 3, 1 and 1 cells.
    private static func cellWidth(between a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double? {
        let cell = (d - a) / 5
        guard cell >= 1.5, abs(b - a - 3 * cell) < 0.8 * cell, abs(c - b - cell) < 0.7 * cell,
            abs(d - c - cell) < 0.7 * cell
        else { return nil }
        return cell
    }

    private static func similar(_ one: Double, _ other: Double, within part: Double) -> Bool {
        abs(one - other) <= part * other
    }
}

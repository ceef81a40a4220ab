/// Finds block codes in pictures of any size: anywhere, at any scale, also where height and width are scaled differently.
///
/// Every third row is searched for the bars at both ends of a code; from there the grid is laid out, so a picture that is
/// slightly turned or seen at an angle is read too. What is found is right or is not reported: the CRC sees to that.
public enum TimestampOverlayReader {
    /// A code and where it is.
    public struct Finding: Hashable, Sendable {
        public let code: TimestampOverlay
        /// Of the box around the bars, in pixels: the quiet edge lies outside.
        public let x: ClosedRange<Double>
        public let y: ClosedRange<Double>
    }

    /// The codes in a picture, from the top.
    public static func findings(in plane: borrowing LumaPlane) -> [Finding] {
        for sensitivity in sensitivities {
            let found = search(plane, sensitivity: sensitivity)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Steps of brightness that make an edge: first those that noise does not reach, then those of a pale picture.
    private static let sensitivities = [80, 20]
    /// Cells smaller than two pixels cannot be read, so a code is eight rows high at least.
    private static let rowStep = 3
    /// 4K of noise has some thousand pairs of bars that are none, a picture made for it hundreds of thousands: so many are laid
    /// out in half a second.
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

/// What may be the bars at both ends of a code, on one row: their outer edges.
struct BarPair {
    let left: Double
    let right: Double

    /// Black bars of 3 and 1 with 1 of white between them, and at the right distance the same the other way round.
    static func all(in edges: LumaEdges) -> [BarPair] {
        let places = edges.places
        guard places.count >= 8 else { return [] }
        var pairs: [BarPair] = []
        for start in stride(from: edges.isFalling(0) ? 0 : 1, to: places.count - 7, by: 2) {
            guard let cell = cellWidth(places[start], places[start + 1], places[start + 2], places[start + 3]) else {
                continue
            }
            let left = places[start]
            var end = start + 7
            while end < places.count, places[end] - left < Double(TimestampOverlay.innerColumnCount) * cell * 1.2 {
                defer { end += 2 }
                let width = (places[end] - left) / Double(TimestampOverlay.innerColumnCount)
                guard similar(width, cell, within: 0.2),
                    let other = cellWidth(-places[end], -places[end - 1], -places[end - 2], -places[end - 3]),
                    similar(other, cell, within: 0.3)
                else { continue }
                pairs.append(BarPair(left: left, right: places[end]))
            }
        }
        return pairs
    }

    /// The width of a cell where these edges bound 3, 1 and 1 of them.
    private static func cellWidth(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double? {
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

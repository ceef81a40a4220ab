import Fuzzing
import Media

/// Frames of arbitrary bytes, with overlays drawn into them and damaged: the reader finds what was drawn, or nothing.
///
/// Input: width, height, padding of a line, the overlay (side of a cell, 0 for none; left; top; cells to invert), its twelve
/// bytes, then luma, which is repeated to fill the frame.
@Sendable func fuzzBlockCode(_ input: [UInt8]) {
    var script = Script(input)
    let (width, height, gap) = (2 * Int(script.byte()), Int(script.byte()), Int(script.byte()) % 8)
    let side = Int(script.byte()) % 9
    let (left, top) = (Int(script.byte()), Int(script.byte()))
    let turned = (0..<Int(script.byte()) % 8).map { _ in (row: Int(script.byte()) % 6, column: Int(script.byte()) % 42)
    }
    let time = (0..<8).reduce(Int64(0)) { sum, _ in sum << 8 | Int64(script.byte()) }
    let code = TimestampOverlay(unixNanoseconds: time, frameNumber: UInt32(script.byte()) << 24 | UInt32(script.byte()))
    var pattern = script.rest()
    if pattern.isEmpty { pattern = [128] }
    let stride = width + gap
    var samples = (0..<stride * height).map { pattern[$0 % pattern.count] }
    let fits = left + 42 * side <= width && top + 6 * side <= height && side > 0
    if fits {
        var cells = code.cells
        for cell in turned { cells[cell.row][cell.column].toggle() }
        for y in 0..<6 * side {
            for x in 0..<42 * side {
                samples[(top + y) * stride + left + x] = cells[y / side][x / side] ? 235 : 16
            }
        }
    }
    guard let plane = LumaPlane(samples.span, width: width, height: height, stride: stride) else {
        return require(width == 0 || height == 0, "a frame that fits into its memory can be read")
    }
    let found = TimestampOverlayReader.findings(in: plane)
    require(found.allSatisfy { $0.code == code } || !fits, "no overlay is misread")
    require(found.count <= 1, "one overlay is found once")
    if fits, turned.isEmpty, side >= 2 { require(found.count == 1, "an undamaged overlay is found") }
    for finding in found {
        require(
            finding.x.lowerBound >= -1 && finding.x.upperBound <= Double(width) + 1, "the overlay lies inside the frame"
        )
        require(
            finding.y.lowerBound >= -1 && finding.y.upperBound <= Double(height) + 1,
            "the overlay lies inside the frame")
        require(
            TimestampOverlay(unixNanoseconds: finding.code.unixNanoseconds, frameNumber: finding.code.frameNumber)
                == finding.code,
            "an overlay is made from its values")
    }
}

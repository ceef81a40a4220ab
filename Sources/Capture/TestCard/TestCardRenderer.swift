import Codecs

/// Draws the test card: colour bars, a grey ramp, moving shapes, noise, the wall clock, the frame number and the flash.
/// `VideoEncodingStage` draws the timestamp overlay over its lower left corner, where nothing moves.
///
/// The static background is drawn once in each frame of the pool and later only restored where something was drawn over it.
/// Everything scales with the frame. Confined to one thread.
final class TestCardRenderer {
    /// The content that differs from frame to frame.
    struct Moment: Hashable, Sendable {
        /// Counted from 0 at the start.
        let number: Int
        /// Nanoseconds since 1970, at the instant before drawing.
        let wallNanoseconds: Int64
        /// Nanoseconds of stream time, which determine the positions of the moving shapes.
        let nanoseconds: Int64
        let isFlash: Bool
    }

    private let pool: VideoFramePool
    /// What was last drawn in each frame of the pool. The pool keeps its frames, so identifiers are not reused.
    private var drawn: [ObjectIdentifier: Moment] = [:]
    let width: Int
    let height: Int
    /// Pixels per square of the clock's glyphs: at 1280×720 its digits are 70 pixels high.
    let clockScale: Int
    /// Pixels per square of the other glyphs: at 1280×720 their digits are 42 pixels high.
    let textScale: Int

    init(width: Int, height: Int) throws(CodecFailure) {
        self.width = width
        self.height = height
        clockScale = max(1, min(height / 72, width / 128))
        textScale = max(1, min(height / 120, width / 200))
        pool = VideoFramePool(width: width, height: height)
    }

    /// Draws the frame of a moment in memory from the pool.
    ///
    /// In a reused frame, the background is restored only where the previous moment was drawn and this one is not.
    func draw(_ moment: Moment) throws(CodecFailure) -> VideoFrame {
        let frame = try pool.take()
        frame.matrix = Self.matrix
        let before = drawn.updateValue(moment, forKey: ObjectIdentifier(frame))
        guard let before else {
            draw(moment, into: frame)
            return frame
        }
        let (bar, square) = sweep(before)
        drawBackground(bar, into: frame)
        drawBackground(square, into: frame)
        drawForeground(moment, into: frame)
        return frame
    }

    /// Draws the complete image into `frame`, which has the card's size.
    func draw(_ moment: Moment, into frame: VideoFrame) {
        drawBackground((0..<width, 0..<height), into: frame)
        drawForeground(moment, into: frame)
    }

    private func drawForeground(_ moment: Moment, into frame: VideoFrame) {
        drawSweep(moment, into: frame)
        drawText(moment, into: frame)
        // Drawn always, so that the sweep cannot be mistaken for a flash.
        fillSquare(flashSquare, luma: moment.isFlash ? 235 : 16, in: frame)
        drawNoise(moment, into: frame)
    }

    // MARK: - Moving parts

    /// A rectangle in the luma plane; half of each number applies to the chroma planes.
    private typealias Area = (x: Range<Int>, y: Range<Int>)

    /// The positions of a bar that crosses the frame in four seconds, and of a square that moves back and forth. Stutter shows in
    /// both.
    private func sweep(_ moment: Moment) -> (bar: Area, square: Area) {
        let period: Int64 = 4_000_000_000
        let phase = Int((moment.nanoseconds % period + period) % period / 1000)
        let bar = phase * width / 4_000_000
        let side = height / 8
        let travel = max(1, width - side)
        let position = phase * 2 * travel / 4_000_000
        let left = (position < travel ? position : 2 * travel - position) & ~1
        let top = (height * 2 / 3 + height / 24) & ~1
        return ((bar..<bar + max(2, width / 160), 0..<height * 2 / 3), (left..<left + side, top..<top + side))
    }

    private func drawSweep(_ moment: Moment, into frame: VideoFrame) {
        let (bar, square) = sweep(moment)
        frame.luma.fill(x: bar.x, y: bar.y, with: 235)
        frame.luma.fill(x: square.x, y: square.y, with: 90)
        let (x, y) = (half(square.x), half(square.y))
        frame.cb.fill(x: x, y: y, with: 90)
        frame.cr.fill(x: x, y: y, with: 230)
    }

    private func half(_ range: Range<Int>) -> Range<Int> { range.lowerBound / 2..<range.upperBound / 2 }

    /// The distance from the edges of the frame to the clock, which is the first line of text.
    var margin: Int { height / 12 & ~1 }

    private func drawText(_ moment: Moment, into frame: VideoFrame) {
        let clock = ClockText(unixNanoseconds: moment.wallNanoseconds)
        let left = margin
        var top = margin
        BitmapGlyphs.draw(clock.time, x: left, y: top, scale: clockScale, into: frame)
        top += 12 * clockScale & ~1
        BitmapGlyphs.draw(clock.date + " UTC", x: left, y: top, scale: textScale, into: frame)
        top += 12 * textScale & ~1
        let number = "FRAME " + ClockText.padded(Int64(moment.number), 7)
        BitmapGlyphs.draw(number, x: left, y: top, scale: textScale, into: frame)
    }

    /// Draws noise below the flash, which no encoder can predict. Without it, the card would leave most of the bitrate unused.
    private func drawNoise(_ moment: Moment, into frame: VideoFrame) {
        let (columns, rows) = noiseArea
        var state = UInt64(truncatingIfNeeded: moment.number) &* 0x9E37_79B9_7F4A_7C15 | 1
        for y in rows {
            for left in stride(from: columns.lowerBound, to: columns.upperBound, by: 8) {
                // Marsaglia's xorshift64 gives eight samples at once.
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                var samples = state
                for x in left..<min(left + 8, columns.upperBound) {
                    frame.luma[x, y] = 96 + UInt8(truncatingIfNeeded: samples) / 4
                    samples >>= 8
                }
            }
        }
    }

    // MARK: - Static parts

    /// The matrix of the colour bars, whatever the size.
    static let matrix = ColourMatrix.bt709

    /// 75 % colour bars in BT.709: luma, blue difference, red difference.
    private static let bars: [(UInt8, UInt8, UInt8)] = [
        (180, 128, 128), (168, 44, 136), (145, 147, 44), (133, 63, 52),
        (63, 193, 204), (51, 109, 212), (28, 212, 120), (16, 128, 128),
    ]

    /// Draws the background within `area`: the bars, the ramp below them, and grey chroma for the noise.
    private func drawBackground(_ area: Area, into frame: VideoFrame) {
        let ramp = height * 2 / 3 & ~1
        let (above, below) = (area.y.clamped(to: 0..<ramp), area.y.clamped(to: ramp..<height))
        for (index, bar) in Self.bars.enumerated() {
            let columns = (index * width / 8 & ~1..<(index + 1) * width / 8 & ~1).clamped(to: area.x)
            frame.luma.fill(x: columns, y: above, with: bar.0)
            frame.cb.fill(x: half(columns), y: half(above), with: bar.1)
            frame.cr.fill(x: half(columns), y: half(above), with: bar.2)
        }
        for x in area.x.clamped(to: 0..<width) {
            frame.luma.fill(x: x..<x + 1, y: below, with: UInt8(16 + x * 219 / width))
        }
        let (columns, rows) = (noiseArea.columns.clamped(to: area.x), noiseArea.rows.clamped(to: area.y))
        for plane in [frame.cb, frame.cr] {
            plane.fill(x: half(area.x), y: half(below), with: 128)
            plane.fill(x: half(columns), y: half(rows), with: 128)
        }
    }

    /// The upper left corner and side of the flash; all even.
    var flashSquare: (x: Int, y: Int, side: Int) {
        let side = height / 3 & ~1
        return (max(0, width - side - height / 12) & ~1, height / 12 & ~1, side)
    }

    private var noiseArea: (columns: Range<Int>, rows: Range<Int>) {
        let (x, _, side) = flashSquare
        return (x..<min(x + side, width), height / 2 & ~1..<(height / 2 & ~1) + (side / 2 & ~1))
    }

    private func fillSquare(_ square: (x: Int, y: Int, side: Int), luma: UInt8, in frame: VideoFrame) {
        let (x, y, side) = square
        frame.luma.fill(x: x..<x + side, y: y..<y + side, with: luma)
        for plane in [frame.cb, frame.cr] {
            plane.fill(x: x / 2..<(x + side) / 2, y: y / 2..<(y + side) / 2, with: 128)
        }
    }
}

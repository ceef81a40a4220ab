import Media
import TestSupport
import Testing

/// A luma plane of any size to draw overlays into.
private struct Canvas {
    let width: Int
    let height: Int
    private(set) var samples: [UInt8]

    init(_ width: Int, _ height: Int, grey: UInt8 = 110) {
        (self.width, self.height) = (width, height)
        samples = Array(repeating: grey, count: width * height)
    }

    /// Draws cells of `side` pixels, from the upper left corner of the quiet zone on; those in `turned` are inverted.
    mutating func draw(
        _ overlay: TimestampOverlay, left: Int, top: Int, side: Int, black: UInt8 = 16, white: UInt8 = 235,
        turned: Set<Cell> = []
    ) {
        let cells = overlay.cells
        for y in 0..<TimestampOverlay.rowCount * side {
            for x in 0..<TimestampOverlay.columnCount * side {
                let cell = Cell(row: y / side, column: x / side)
                let isWhite = cells[cell.row][cell.column] != turned.contains(cell)
                samples[(top + y) * width + left + x] = isWhite ? white : black
            }
        }
    }

    mutating func addNoise(_ amplitude: Int, using random: inout SplitMix64) {
        for index in samples.indices {
            let noise = Int(random.next() % UInt64(2 * amplitude + 1)) - amplitude
            samples[index] = UInt8(clamping: Int(samples[index]) + noise)
        }
    }

    var findings: [TimestampOverlayReader.Finding] {
        guard let plane = LumaPlane(samples.span, width: width, height: height, stride: width) else { return [] }
        return TimestampOverlayReader.findings(in: plane)
    }

    var overlays: [TimestampOverlay] { findings.map(\.code) }
}

private struct Cell: Hashable {
    let row: Int
    let column: Int
}

private let someOverlay = TimestampOverlay(unixNanoseconds: 1_795_273_445_123_400_000, frameNumber: 0xDEAD_BEEF)

@Suite struct TimestampOverlayTests {
    @Test(arguments: [0, 99_999, 100_000, 1_795_273_445_123_456_789, Int64.max])
    func timeHasAResolutionOfATenthOfAMillisecond(nanoseconds: Int64) {
        let overlay = TimestampOverlay(unixNanoseconds: nanoseconds, frameNumber: 7)
        #expect(overlay.unixNanoseconds == nanoseconds - nanoseconds % 100_000)
        var canvas = Canvas(200, 60)
        canvas.draw(overlay, left: 4, top: 5, side: 4)
        #expect(canvas.overlays == [overlay])
    }

    @Test func timesBefore1970Become1970() {
        #expect(TimestampOverlay(unixNanoseconds: -1, frameNumber: 0).unixNanoseconds == 0)
    }

    /// The example in docs/timestamp-overlay.md.
    @Test func theCellsMatchTheDocumentation() {
        let overlay = TimestampOverlay(unixNanoseconds: 1_795_273_445_123_400_000, frameNumber: 1234)
        let rows = overlay.cells.map { $0.map { $0 ? "·" : "█" }.joined() }
        let quiet = String(repeating: "·", count: 42)
        #expect(
            rows == [
                quiet,
                "·███·█·███·█████·█·██······██·██·█··█·███·",
                "·███·█···█████·█··███·███·█████████·█·███·",
                "·███·█·█████████████·██··█·██·██·██·█·███·",
                "·███·█·······█···█···█···█···███····█·███·",
                quiet,
            ])
    }

    @Test(arguments: [2, 3, 4, 5, 7, 8, 20, 31])
    func anOverlayIsFoundAtAnyPosition(side: Int) {
        var random = SplitMix64(seed: UInt64(side))
        for _ in 0..<8 {
            let overlay = TimestampOverlay(
                unixNanoseconds: Int64(random.next() >> 2), frameNumber: UInt32(truncatingIfNeeded: random.next()))
            var canvas = Canvas(TimestampOverlay.columnCount * side + 90, TimestampOverlay.rowCount * side + 50)
            let (left, top) = (Int(random.next() % 90), Int(random.next() % 50))
            canvas.draw(overlay, left: left, top: top, side: side)
            #expect(canvas.overlays == [overlay])
            let box = canvas.findings.first.map { ($0.x, $0.y) }
            #expect(abs((box?.0.lowerBound ?? 0) - Double(left + side)) < 1)
            #expect(abs((box?.1.upperBound ?? 0) - Double(top + 5 * side)) < 1)
        }
    }

    @Test func allOverlaysOfAFrameAreFound() {
        var canvas = Canvas(500, 300)
        let overlays = (0..<4).map {
            TimestampOverlay(unixNanoseconds: Int64($0) * 1_000_000_000, frameNumber: UInt32($0))
        }
        for (index, overlay) in overlays.enumerated() {
            canvas.draw(overlay, left: index % 2 * 250, top: index / 2 * 150 + index * 7, side: 5)
        }
        #expect(Set(canvas.overlays) == Set(overlays))
        #expect(canvas.overlays.count == 4)
    }

    @Test(arguments: [(16, 235), (0, 255), (100, 140), (200, 230), (10, 40)])
    func brightnessAndContrastDoNotMatter(black: UInt8, white: UInt8) {
        var canvas = Canvas(300, 100, grey: black / 2 + white / 2)
        canvas.draw(someOverlay, left: 20, top: 20, side: 6, black: black, white: white)
        #expect(canvas.overlays == [someOverlay])
    }

    @Test func noiseDoesNotMatter() {
        var random = SplitMix64(seed: 3)
        var canvas = Canvas(500, 200)
        canvas.draw(someOverlay, left: 30, top: 31, side: 10)
        canvas.addNoise(35, using: &random)
        #expect(canvas.overlays == [someOverlay])
    }

    @Test func anyFlippedBitIsDetected() {
        for row in 1...4 {
            for column in 7..<35 {
                var canvas = Canvas(180, 40)
                canvas.draw(someOverlay, left: 5, top: 5, side: 4, turned: [Cell(row: row, column: column)])
                #expect(canvas.overlays.isEmpty, "row \(row), column \(column)")
            }
        }
    }

    @Test func aDamagedOverlayIsRejectedAndNeverMisread() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<300 {
            var turned: Set<Cell> = []
            for _ in 0..<1 + Int(random.next() % 40) {
                turned.insert(Cell(row: Int(random.next() % 6), column: Int(random.next() % 42)))
            }
            var canvas = Canvas(180, 40)
            canvas.draw(someOverlay, left: 5, top: 5, side: 4, turned: turned)
            #expect(canvas.overlays.allSatisfy { $0 == someOverlay })
            let bits = turned.filter { (1...4).contains($0.row) && (7..<35).contains($0.column) }
            if !bits.isEmpty { #expect(canvas.overlays.isEmpty) }
        }
    }

    @Test func randomFramesContainNoOverlay() {
        var random = SplitMix64(seed: 5)
        for coarseness in [1, 2, 3, 5, 8] {
            for _ in 0..<4 {
                var canvas = Canvas(300, 200)
                canvas.fillRandomly(squares: coarseness, using: &random)
                #expect(canvas.overlays.isEmpty)
            }
        }
    }

    @Test func framesOfAnySizeNeverTrap() {
        var random = SplitMix64(seed: 9)
        for width in [1, 2, 3, 7, 8, 9, 41, 42, 43, 85] {
            for height in [1, 2, 3, 5, 8, 25] {
                var canvas = Canvas(width, height)
                canvas.fillRandomly(squares: 1, using: &random)
                #expect(canvas.overlays.isEmpty)
            }
        }
    }

    @Test(arguments: [(0, 4, 4), (4, 0, 4), (-1, 4, 4), (4, 4, 3), (4, 5, 4), (4, 4, Int.max), (4, Int.max, 4)])
    func aPlaneLargerThanItsMemoryIsRejected(width: Int, height: Int, stride: Int) {
        let samples = [UInt8](repeating: 0, count: 16)
        let isThere = LumaPlane(samples.span, width: width, height: height, stride: stride) != nil
        #expect(!isThere)
    }

    @Test func anEmptyPlaneIsRejected() {
        let samples: [UInt8] = []
        let isThere = LumaPlane(samples.span, width: 1, height: 1, stride: 1) != nil
        #expect(!isThere)
    }

    @Test func rowsMayHavePadding() {
        var canvas = Canvas(256, 100)
        canvas.draw(someOverlay, left: 2, top: 9, side: 4)
        let samples = canvas.samples
        // The left part of the frame, with the same stride.
        guard let plane = LumaPlane(samples.span, width: 172, height: 100, stride: 256) else {
            Issue.record("no plane")
            return
        }
        let overlays = TimestampOverlayReader.findings(in: plane).map(\.code)
        #expect(overlays == [someOverlay])
    }

    @Test(arguments: [(1280, 720, 20), (1920, 1080, 28), (320, 180, 5), (640, 360, 8), (360, 640, 8), (3840, 2160, 60)])
    func cellsGrowWithTheFrame(width: Int, height: Int, side: Int) throws {
        let place = try #require(TimestampOverlay.Placement(in: .bottomRight, width: width, height: height))
        #expect(place.cellSide == side)
        #expect((0...1).contains(width - place.left - 42 * side))
        #expect((0...1).contains(height - place.top - 6 * side))
        #expect(TimestampOverlay.Placement(in: .topLeft, width: width, height: height)?.top == 0)
    }

    @Test func smallFramesHoldNoOverlay() {
        let least = TimestampOverlay.Placement.minimumExtent
        #expect(TimestampOverlay.Placement(in: .topLeft, width: least.width, height: least.height)?.cellSide == 4)
        #expect(TimestampOverlay.Placement(in: .topLeft, width: least.width - 1, height: least.height) == nil)
        #expect(TimestampOverlay.Placement(in: .topLeft, width: least.width, height: least.height - 1) == nil)
        #expect(TimestampOverlay.Placement(in: .topLeft, width: 0, height: 0) == nil)
    }
}

extension Canvas {
    /// Fills the plane with random squares of black, white and grey.
    fileprivate mutating func fillRandomly(squares side: Int, using random: inout SplitMix64) {
        let columns = width / side + 1
        let levels = (0..<columns * (height / side + 1)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for y in 0..<height {
            for x in 0..<width { samples[y * width + x] = levels[y / side * columns + x / side] & 0xC0 }
        }
    }
}

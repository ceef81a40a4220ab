import Testing

@testable import Codecs

/// Planes are valid as long as their frame, so each test keeps its frame until the end.
struct ScalerTests {
    /// A raw frame whose planes are filled with these values.
    private func withFrame(
        _ format: RawPixelFormat, width: Int, height: Int, _ planes: [[UInt8]], range: ColourRange = .limited,
        _ body: (DecodedVideoFrame) throws -> Void
    ) throws {
        let memory = zip(planes, format.planes).map { value, plane in
            let count = plane.rowByteCount(width: width) * plane.rowCount(height: height)
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            for index in 0..<count { bytes[index] = value[index % value.count] }
            return bytes
        }
        defer { for bytes in memory { bytes.deallocate() } }
        let rows = zip(memory, format.planes).map {
            RawPlane(bytes: UnsafeRawBufferPointer($0), stride: $1.rowByteCount(width: width))
        }
        let frame = try DecodedVideoFrame(format, width: width, height: height, planes: rows)
        frame.range = range
        try body(frame)
    }

    private typealias Part = FramePlacement.Rectangle

    @Test func aspectRatioIsKeptAndAllNumbersAreEven() {
        func placement(_ frame: (Int, Int), _ pixel: (Int, Int), _ target: (Int, Int), _ fit: FrameFit) -> [Part] {
            let placement = FramePlacement(of: frame, pixel: pixel, in: target, fit)
            return [placement.source, placement.target]
        }
        let (square, wide) = ((1, 1), (64, 45))
        #expect(
            placement((640, 480), square, (640, 360), .letterbox)
                == [Part(width: 640, height: 480), Part(x: 80, y: 0, width: 480, height: 360)])
        #expect(
            placement((640, 480), square, (640, 360), .crop)
                == [Part(x: 0, y: 60, width: 640, height: 360), Part(width: 640, height: 360)])
        #expect(
            placement((1920, 1080), square, (640, 480), .letterbox)
                == [Part(width: 1920, height: 1080), Part(x: 0, y: 60, width: 640, height: 360)])
        #expect(
            placement((1920, 1080), square, (640, 480), .crop)
                == [Part(x: 240, y: 0, width: 1440, height: 1080), Part(width: 640, height: 480)])
        // 16:9 with pixels that are wider than high, as on a DVD.
        #expect(
            placement((720, 576), wide, (640, 360), .letterbox)
                == [Part(width: 720, height: 576), Part(width: 640, height: 360)])
        // Nearly the same ratio, but with implausible numbers.
        for (frame, pixel) in [((1366, 768), square), ((1280, 720), (0, 1)), ((1280, 720), (-3, 7))] {
            for fit in [FrameFit.letterbox, .crop, .fill] {
                #expect(
                    placement(frame, pixel, (640, 360), fit)
                        == [Part(width: frame.0, height: frame.1), Part(width: 640, height: 360)])
            }
        }
        for frame in [(16, 16_384), (16_384, 16)] {
            for fit in [FrameFit.letterbox, .crop] {
                for part in placement(frame, (65_536, 1), (16_384, 16), fit) {
                    let numbers = [part.x, part.y, part.width, part.height]
                    #expect(numbers.allSatisfy { $0 % 2 == 0 && $0 >= 0 } && part.width >= 2 && part.height >= 2)
                }
            }
        }
    }

    @Test(arguments: RawPixelFormat.allCases.filter { $0 != .grey })
    func aLetterboxIsBlackAroundTheFrame(format: RawPixelFormat) throws {
        // White in every format.
        let white: [[UInt8]] =
            switch format {
            case .nv12, .nv21: [[235], [128]]
            case .yuv420, .yuv422: [[235], [128], [128]]
            case .yuyv, .yvyu: [[235, 128]]
            case .uyvy: [[128, 235]]
            case .rgb24, .bgr24, .grey: [[255]]
            }
        try withFrame(format, width: 128, height: 96, white) { input in
            let frame = try Scaler(width: 160, height: 90, fit: .letterbox).scale(input)
            defer { withExtendedLifetime(frame) {} }
            for y in 0..<90 {
                for x in 0..<160 {
                    let isRight = (20..<140).contains(x) ? frame.luma[x, y] >= 234 : frame.luma[x, y] == 16
                    try #require(isRight, "\(frame.luma[x, y]) at \(x), \(y)")
                }
            }
            #expect((0..<80).allSatisfy { abs(Int(frame.cb[$0, 22]) - 128) <= 1 })
            #expect([0, 9, 70, 79].allSatisfy { frame.cr[$0, 44] == 128 && frame.cb[$0, 0] == 128 })
        }
    }

    @Test func aCropShowsTheMiddle() throws {
        // Bars of 12 black rows, which are cut off.
        let rows = (0..<96).flatMap { [UInt8](repeating: (12..<84).contains($0) ? 235 : 16, count: 128) }
        try withFrame(.yuv420, width: 128, height: 96, [rows, [128], [128]]) { input in
            let frame = try Scaler(width: 160, height: 90, fit: .crop).scale(input)
            defer { withExtendedLifetime(frame) {} }
            #expect((0..<90).allSatisfy { frame.luma[80, $0] >= 234 })
        }
    }

    @Test(arguments: [(128, 96), (64, 48)])
    func fullRangeBecomesLimitedRangeWithAndWithoutScaling(width: Int, height: Int) throws {
        let formats: [(RawPixelFormat, (UInt8) -> [[UInt8]])] = [
            (.yuv420, { [[$0], [128], [128]] }), (.nv12, { [[$0], [128]] }), (.yuyv, { [[$0, 128]] }),
        ]
        for (format, planes) in formats {
            for (value, expected) in [(0, 16), (128, 126), (255, 235)] {
                try withFrame(format, width: 128, height: 96, planes(UInt8(value)), range: .full) { input in
                    let frame = try Scaler(width: width, height: height).scale(input)
                    defer { withExtendedLifetime(frame) {} }
                    let luma = frame.luma[30, 20]
                    #expect(abs(Int(luma) - expected) <= 1, "\(format) \(value): \(luma)")
                }
            }
        }
    }

    /// libswscale treats grey frames as full range unless it is configured otherwise.
    @Test(arguments: [
        (ColourRange.limited, [(16, 16), (128, 128), (235, 235)]), (.full, [(0, 16), (128, 126), (255, 235)]),
    ])
    func greyHasNoColour(range: ColourRange, values: [(UInt8, Int)]) throws {
        for (value, expected) in values {
            try withFrame(.grey, width: 128, height: 96, [[value]], range: range) { input in
                let frame = try Scaler(width: 128, height: 96).scale(input)
                defer { withExtendedLifetime(frame) {} }
                #expect(abs(Int(frame.luma[30, 20]) - expected) <= 1, "\(value): \(frame.luma[30, 20])")
                #expect(frame.cb[30, 20] == 128 && frame.cr[30, 20] == 128, "\(frame.cb[30, 20]), \(frame.cr[30, 20])")
            }
        }
    }

    /// Red has luma 63 with BT.709 and 82 with BT.601.
    @Test(arguments: [(128, 96, ColourMatrix.bt601, 82), (1280, 720, .bt709, 63)])
    func redIsConvertedWithTheGivenMatrix(width: Int, height: Int, matrix: ColourMatrix, luma: Int) throws {
        try withFrame(.rgb24, width: width, height: height, [[255, 0, 0]]) { input in
            let frame = try Scaler(width: width, height: height).scale(input)
            defer { withExtendedLifetime(frame) {} }
            #expect(frame.matrix == matrix)
            #expect(abs(Int(frame.luma[40, 40]) - luma) <= 1, "\(frame.luma[40, 40])")
        }
    }
}

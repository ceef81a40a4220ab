import Media
import TestSupport
import Testing

/// Sets of x264 and x265, whose video usability information describes BT.709, for x265 with the full range.
@Suite struct VideoSignalTests {
    private static let square264: [UInt8] = [
        0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x70, 0x16, 0xA0, 0x20, 0x20, 0x28, 0x00, 0x00,
        0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x01, 0xE0, 0x78, 0xB1, 0x6C, 0xB0,
    ]
    private static let wide264: [UInt8] = [
        0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xB0, 0x12, 0x6C, 0x09, 0xA8, 0x08, 0x08, 0x0A, 0x00, 0x00, 0x03,
        0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x78, 0x1E, 0x2C, 0x5B, 0x2C,
    ]
    private static let square265: [UInt8] = [
        0x42, 0x01, 0x01, 0x01, 0x60, 0x00, 0x00, 0x03, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00, 0x03, 0x00, 0x3F,
        0xA0, 0x05, 0x02, 0x01, 0x69, 0x65, 0x95, 0x96, 0x49, 0x32, 0xBC, 0x05, 0xB8, 0x08, 0x08, 0x08, 0x20, 0x00,
        0x00, 0x03, 0x00, 0x20, 0x00, 0x00, 0x03, 0x03, 0xC1,
    ]
    private static let wide265: [UInt8] = [
        0x42, 0x01, 0x01, 0x01, 0x60, 0x00, 0x00, 0x03, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00, 0x03, 0x00, 0x5A,
        0xA0, 0x05, 0x82, 0x00, 0x90, 0x59, 0x65, 0x65, 0x92, 0x4C, 0xAF, 0x02, 0x6E, 0x02, 0x02, 0x02, 0x08, 0x00,
        0x00, 0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x00, 0xF0, 0x40,
    ]

    @Test(
        arguments: [(square264, 640, 360, 1, 1), (wide264, 704, 576, 12, 11)] as [([UInt8], Int, Int, UInt16, UInt16)])
    func anH264SetTellsShapeAndColours(
        bytes: [UInt8], width: Int, height: Int, across: UInt16, down: UInt16
    ) throws {
        let set = try #require(H264.SequenceParameterSet(parsing: bytes))
        #expect(set.width == width && set.height == height)
        #expect(set.usability?.signal.sampleAspect == VideoSignal.SampleAspect(width: across, height: down))
        Self.expectBT709(set.usability?.signal.colour, isFullRange: false)
    }

    @Test(
        arguments: [(square265, 640, 360, 1, 1), (wide265, 704, 576, 12, 11)] as [([UInt8], Int, Int, UInt16, UInt16)])
    func anH265SetTellsShapeAndColours(
        bytes: [UInt8], width: Int, height: Int, across: UInt16, down: UInt16
    ) throws {
        let set = try #require(H265.SequenceParameterSet(parsing: bytes))
        #expect(set.width == width && set.height == height)
        #expect(set.subLayerCount == 1 && set.isTemporallyNested && set.chromaBitDepth == 8)
        #expect(set.signal?.sampleAspect == VideoSignal.SampleAspect(width: across, height: down))
        Self.expectBT709(set.signal?.colour, isFullRange: true)
    }

    private static func expectBT709(_ colour: VideoSignal.Colour?, isFullRange: Bool) {
        #expect(colour.map { [$0.primaries, $0.transfer, $0.matrix] } == [1, 1, 1])
        #expect(colour?.isFullRange == isFullRange)
    }

    /// Sets that end early lose what they do not tell, and no prefix traps.
    @Test func truncatedSetsTellNoSignal() throws {
        for bytes in [Self.wide264, Self.wide265] {
            for count in 0..<bytes.count {
                _ = H264.SequenceParameterSet(parsing: Array(bytes.prefix(count)))
                _ = H265.SequenceParameterSet(parsing: Array(bytes.prefix(count)))
            }
        }
        let early = try #require(H265.SequenceParameterSet(parsing: Array(Self.wide265.prefix(32))))
        #expect(early.signal == nil && early.width == 704)
    }

    @Test func anUnspecifiedShapeIsNone() {
        #expect(VideoSignal.SampleAspect(width: 0, height: 1) == nil)
        #expect(VideoSignal.SampleAspect(width: 1, height: 0) == nil)
    }
}

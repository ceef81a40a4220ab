import Codecs
import Testing

@testable import Capture

@Suite struct FrameLayoutTests {
    private static func layout(_ code: String, _ width: Int, _ height: Int, strides: [Int]) throws -> FrameLayout {
        let code = FourCharacterCode(code)
        return FrameLayout(
            code: code, format: try #require(PixelFormat(code: code)), width: width, height: height, strides: strides)
    }

    private static func slices(_ layout: FrameLayout, _ byteCounts: [Int]) -> [FrameLayout.Slice]? {
        guard case .raw(let raw, let memory) = layout.format else { return nil }
        return layout.slices(ofFrame: raw, memory: memory, byteCounts: byteCounts)
    }

    @Test(arguments: [
        ("NV12", [640], 640 * 480 * 3 / 2, [0, 307_200]), ("YU12", [640], 640 * 480 * 3 / 2, [0, 307_200, 384_000]),
        ("YUYV", [1280], 640 * 480 * 2, [0]), ("422P", [640], 640 * 480 * 2, [0, 307_200, 460_800]),
        ("RGB3", [1920], 640 * 480 * 3, [0]), ("GREY", [0], 640 * 480, [0]),
    ])
    func aFrameOfExactlyItsSizeFitsAndOneByteLessDoesNot(
        code: String, strides: [Int], byteCount: Int, offsets: [Int]
    ) throws {
        let layout = try Self.layout(code, 640, 480, strides: strides)
        #expect(Self.slices(layout, [byteCount])?.map(\.offset) == offsets)
        #expect(Self.slices(layout, [byteCount - 1]) == nil)
        #expect(Self.slices(layout, [0]) == nil)
        #expect(Self.slices(layout, []) == nil)
    }

    @Test func rowsMayBePadded() throws {
        let layout = try Self.layout("YU12", 100, 50, strides: [128])
        let slices = try #require(Self.slices(layout, [128 * 75]))
        #expect(slices.map(\.stride) == [128, 64, 64])
        #expect(slices.map(\.offset) == [0, 6400, 8000])
    }

    @Test func eachPlaneMayHaveItsOwnMemory() throws {
        let layout = try Self.layout("NM12", 640, 480, strides: [640, 640])
        #expect(Self.slices(layout, [307_200, 153_600])?.map(\.memoryPlane) == [0, 1])
        #expect(Self.slices(layout, [307_200, 153_599]) == nil)
        #expect(Self.slices(layout, [460_800]) == nil)
    }

    @Test func aStrideThatIsTooShortIsCorrected() throws {
        let layout = try Self.layout("YUYV", 640, 480, strides: [7])
        #expect(Self.slices(layout, [640 * 480 * 2])?.first?.stride == 1280)
    }
}

@Suite struct JPEGHeaderTests {
    private static func image(_ width: Int, _ height: Int, ending: [UInt8] = [0xFF, 0xD9]) -> [UInt8] {
        let size = [height >> 8, height & 0xFF, width >> 8, width & 0xFF].map { UInt8($0) }
        return [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC0, 0, 17, 8] + size + [3, 0, 0, 0] + ending
    }

    private static func header(_ bytes: [UInt8]) -> JPEGHeader? { bytes.withUnsafeBytes(JPEGHeader.init(parsing:)) }

    @Test func sizeAndEndAreFound() {
        let header = Self.header(Self.image(640, 480))
        #expect(header?.width == 640)
        #expect(header?.height == 480)
        #expect(header?.isComplete == true)
    }

    @Test func paddingAfterTheEndMarkerIsAccepted() {
        #expect(
            Self.header(Self.image(640, 480, ending: [0xFF, 0xD9] + [UInt8](repeating: 0, count: 900)))?.isComplete
                == true)
        #expect(Self.header(Self.image(640, 480, ending: [0, 0]))?.isComplete == false)
    }

    @Test func noTruncationCausesATrap() {
        let bytes = Self.image(640, 480)
        for count in 0..<bytes.count { #expect(Self.header(Array(bytes.prefix(count)))?.isComplete != true) }
        #expect(Self.header([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 100)) == nil)
        #expect(Self.header([UInt8](repeating: 0, count: 100)) == nil)
    }
}

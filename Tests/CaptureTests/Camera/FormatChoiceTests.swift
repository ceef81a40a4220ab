import Testing

@testable import Capture

@Suite struct FormatChoiceTests {
    private static let thirty = IntervalOffer(.thirtieth)
    private static let requested = FormatChoice.RequestedMode(width: 1280, height: 720, interval: .thirtieth)

    private static func rate(_ framesPerSecond: Int) -> IntervalOffer {
        FrameInterval(1, framesPerSecond).map(IntervalOffer.init) ?? thirty
    }

    private static func offer(
        _ code: String, _ width: Int = 1280, _ height: Int = 720, _ rates: [IntervalOffer] = [thirty],
        isEmulated: Bool = false
    ) -> FormatOffer {
        FormatOffer(
            code: FourCharacterCode(code), isEmulated: isEmulated,
            sizes: [SizeOffer(width: width, height: height, intervals: rates)])
    }

    @Test(arguments: [
        (["MJPG", "YUYV", "NV12", "H264"], "H264"),
        (["MJPG", "YUYV", "NV12"], "NV12"),
        (["MJPG", "UYVY", "RGB3"], "UYVY"),
        (["GREY", "RGB3", "MJPG"], "MJPG"),
        (["GREY", "RGB3"], "RGB3"),
        (["BA81", "GREY"], "GREY"),
        (["XR24", "YM12"], "YM12"),
        (["HEVC", "MJPG"], "MJPG"),
        (["HEVC", "GREY"], "HEVC"),
    ])
    func atTheSameSizeAndRateTheCheapestFormatIsChosen(codes: [String], expected: String) {
        let choice = FormatChoice(of: codes.map { Self.offer($0) }, for: Self.requested)
        #expect(choice?.code.description == expected)
    }

    @Test func h265IsChosenForAModeThatNoOtherFormatHas() {
        let offers = [Self.offer("H264", 640, 480), Self.offer("YUYV", 1280, 720, [Self.rate(10)]), Self.offer("HEVC")]
        #expect(FormatChoice(of: offers, for: Self.requested)?.description == "1280×720 at 30 fps as HEVC")
    }

    @Test func jpegAtTheRequestedRateIsPreferredToASlowRawFormat() {
        let offers = [Self.offer("YUYV", 1280, 720, [Self.rate(10)]), Self.offer("MJPG")]
        #expect(FormatChoice(of: offers, for: Self.requested)?.description == "1280×720 at 30 fps as MJPG")
    }

    @Test func anEmulatedFormatIsChosenOnlyIfNoOtherIsSupported() {
        let emulated = Self.offer("YU12", isEmulated: true)
        #expect(
            FormatChoice(of: [emulated, Self.offer("MJPG", 640, 480)], for: Self.requested)?.description
                == "640×480 at 30 fps as MJPG")
        #expect(FormatChoice(of: [emulated, Self.offer("BA81")], for: Self.requested)?.code.description == "YU12")
    }

    @Test func theNearestSizeAndRateAreChosenAndTheDifferenceIsReported() {
        let offers = [
            Self.offer("YUYV", 640, 480, [Self.rate(30)]),
            Self.offer("YUYV", 1024, 768, [Self.rate(15), Self.rate(20)]),
        ]
        let choice = FormatChoice(of: offers, for: Self.requested)
        #expect(choice?.description == "1024×768 at 20 fps as YUYV")
        #expect(choice?.difference(from: Self.requested) == "1280×720 at 30 fps was requested")
    }

    @Test func televisionRatesMatchTheirNominalRates() throws {
        let television = IntervalOffer(try #require(FrameInterval(1001, 30_000)))
        let choice = FormatChoice(
            of: [Self.offer("NV12", 1280, 720, [Self.rate(60), television])], for: Self.requested)
        #expect(choice?.description == "1280×720 at 29.97 fps as NV12")
        #expect(choice?.difference(from: Self.requested) == nil)
    }

    @Test func aRangeOfSizesAndRatesContainsTheRequestedMode() throws {
        let offer = FormatOffer(
            code: FourCharacterCode("NV12"), isEmulated: false,
            sizes: [
                SizeOffer(
                    widths: SteppedRange(lowest: 32, highest: 1920, step: 16),
                    heights: SteppedRange(lowest: 32, highest: 1080, step: 8),
                    intervals: [
                        IntervalOffer(
                            shortest: try #require(FrameInterval(1, 90)), longest: try #require(FrameInterval(1, 2)))
                    ])
            ])
        #expect(FormatChoice(of: [offer], for: Self.requested)?.description == "1280×720 at 30 fps as NV12")
    }

    @Test func withoutListedRatesTheRequestedRateIsUsed() {
        let choice = FormatChoice(of: [Self.offer("NV12", 1280, 720, [])], for: Self.requested)
        #expect(choice?.interval == .thirtieth)
    }

    @Test func withoutASupportedFormatThereIsNoChoice() {
        #expect(FormatChoice(of: [], for: Self.requested) == nil)
        #expect(FormatChoice(of: [Self.offer("BA81"), Self.offer("pRAA")], for: Self.requested) == nil)
        #expect(FormatChoice(of: [Self.offer("YUYV", 0, 0)], for: Self.requested) == nil)
        let sizeless = FormatOffer(code: FourCharacterCode("YUYV"), isEmulated: false, sizes: [])
        #expect(FormatChoice(of: [sizeless], for: Self.requested) == nil)
    }

    @Test(arguments: [(0, 16, 8, 5, 8), (16, 16, 0, 99, 16), (32, 100, 16, 99, 96), (-5, -9, -1, 3, 0)])
    func theNearestNumberLiesInTheRange(lowest: Int, highest: Int, step: Int, wanted: Int, nearest: Int) {
        #expect(SteppedRange(lowest: lowest, highest: highest, step: step).nearest(to: wanted) == nearest)
    }

    @Test func fourCharacterCodesRoundTrip() {
        #expect(FourCharacterCode("YUYV").value == 0x5659_5559)
        #expect(FourCharacterCode("Y16 ").description == "Y16")
        #expect(FourCharacterCode(value: 0x0102_0359).description == "Y???")
    }
}

import CV4L2
import Codecs
import Media
import Reactor
import Testing

@testable import Capture

/// The stream states the matrix of its frames, whatever players would assume for the size.
@Suite struct ColourMatrixTests {
    @Test(arguments: [(64, 48), (1280, 720)])
    func aCamerasMatrixIsTheOneThatItsDriverReports(width: Int, height: Int) throws {
        let testRun = CameraTestRun()
        let grey = ReplayedCamera.Frame.bytes([UInt8](repeating: 128, count: width * height * 2))
        try testRun.run("YUYV", width: width, height: height, [.frames([grey]), .frames([grey])])
        let decoder = try VideoDecoder()
        let decoded = try testRun.units().flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.map(\.matrix) == [.bt601, .bt601])
    }

    @Test(arguments: [(64, 48, ColourMatrix.bt601), (1280, 720, .bt709)])
    func rgbIsConvertedWithTheMatrixThatPlayersAssume(width: Int, height: Int, matrix: ColourMatrix) throws {
        let testRun = CameraTestRun()
        let grey = ReplayedCamera.Frame.bytes([UInt8](repeating: 128, count: width * height * 3))
        try testRun.run("RGB3", width: width, height: height, [.frames([grey])])
        let decoder = try VideoDecoder()
        let decoded = try testRun.units().flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.map(\.matrix) == [matrix])
    }

    /// Values of `enum v4l2_colorspace` and `v4l2_ycbcr_encoding`.
    @Test(
        arguments: [
            ("BT.709", 3, 0, .bt709, .bt709), ("SMPTE 170M", 1, 0, .bt601, .bt601), ("sRGB", 8, 0, .bt601, .bt601),
            ("JPEG", 7, 0, .bt601, .bt601), ("sRGB by BT.709", 8, 2, .bt709, .bt709),
            ("BT.709 by BT.601", 3, 1, .bt601, .bt601),
            ("SMPTE 240M", 2, 0, .bt709, .bt709), ("not reported", 0, 0, .bt601, .bt709),
            ("BT.2020", 10, 0, .bt601, .bt709),
        ] as [(String, UInt32, UInt32, ColourMatrix, ColourMatrix)])
    func theMatrixIsTheReportedOneOrDependsOnTheNumberOfLines(
        name: String, colorspace: UInt32, encoding: UInt32, small: ColourMatrix, large: ColourMatrix
    ) {
        let colours = cv4l2_colours(colorspace: colorspace, encoding: encoding, quantization: 0)
        #expect([480, 719].allSatisfy { ColourMatrix(colours, height: $0) == small })
        #expect([720, 1080].allSatisfy { ColourMatrix(colours, height: $0) == large })
    }

    @Test(
        arguments: [
            ("not reported", 0, 0, .limited, .full), ("JPEG", 7, 0, .full, .full), ("sRGB", 8, 0, .limited, .full),
            ("sRGB, full", 8, 1, .full, .full), ("JPEG, limited", 7, 2, .limited, .limited),
        ] as [(String, UInt32, UInt32, ColourRange, ColourRange)])
    func theRangeIsTheOneThatTheDriverReports(
        name: String, colorspace: UInt32, quantization: UInt32, colour: ColourRange, grey: ColourRange
    ) throws {
        let colours = cv4l2_colours(colorspace: colorspace, encoding: 0, quantization: quantization)
        let formats = try ["YUYV", "GREY"].map { try #require(PixelFormat(code: FourCharacterCode($0))) }
        #expect(formats.map { ColourRange(colours, of: $0) } == [colour, grey])
    }

    @Test(arguments: [(ColourRange.limited, [UInt8(16), 235]), (.full, [0, 255])])
    func blackAndWhiteDoNotDependOnTheCamerasRange(range: ColourRange, values: [UInt8]) throws {
        let testRun = CameraTestRun()
        let frames = values.map { ReplayedCamera.Frame.yuyv($0) }
        try testRun.run("YUYV", range: range, frames.map { .frames([$0]) })
        let lumas = try testRun.frames(width: 64, height: 48).map { $0.luma[32, 24] }
        #expect(lumas.count == 2 && zip(lumas, [16, 235]).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(lumas)")
    }

    @Test func aSmallTestCardHasTheMatrixOfItsBars() throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.audio) = (320, 180, nil)
        let timeline = TestCardTimeline(frameRate: .thirty, now: 0, wallNanoseconds: 0)
        let pipeline = try TestCardPipeline(settings, timeline: timeline)
        let decoder = try VideoDecoder()
        let units = try pipeline.units(forFrame: 1, wallNanoseconds: 0)
        let decoded = try units.flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.map(\.matrix) == [.bt709])
    }

    @Test func sizeEffectsAndSubstreamsDoNotChangeTheMatrix() throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.filters) = (1280, 720, "hflip")
        let fanOut = FrameFanOut()
        let subscriber = fanOut.attach(try Doorbell())
        let stage = try VideoEncodingStage(
            settings, track: TrackID(0), control: EncoderControl(settings), fanOut: fanOut)
        let frame = try VideoFrame(width: 1280, height: 720)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        var decoded: [ColourMatrix] = []
        for (number, matrix) in [ColourMatrix.bt709, .bt601, .bt601].enumerated() {
            frame.matrix = matrix
            let units = try stage.units(of: frame, at: MediaTime(ticks: Int64(number) * 3_000, rate: .video))
            #expect(units.map(\.isKeyframe) == [number < 2], "another matrix comes with an IDR frame")
            let decoder = try VideoDecoder()
            decoded += try (units.flatMap { try decoder.decode($0) } + decoder.finish()).map(\.matrix)
            let offered = try #require(subscriber.take()).frame.frame()
            #expect(try Scaler(width: 320, height: 180).scale(offered).matrix == matrix)
        }
        #expect(decoded.prefix(2) == [.bt709, .bt601])
    }
}

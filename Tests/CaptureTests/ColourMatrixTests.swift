import Codecs
import Media
import Reactor
import Testing

@testable import Capture

/// Players are told by which matrix a picture was made, whatever they would suppose for its size.
@Suite struct ColourMatrixTests {
    @Test(arguments: [(64, 48), (1280, 720)])
    func aCamerasIsTheOneThatItsDriverTells(width: Int, height: Int) throws {
        let filming = Filming()
        let grey = ReplayedCamera.Frame.bytes([UInt8](repeating: 128, count: width * height * 2))
        try filming.film("YUYV", width: width, height: height, [.frames([grey]), .frames([grey])])
        let decoder = try VideoDecoder()
        let decoded = try filming.units().flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.map(\.matrix) == [.bt601, .bt601])
    }

    @Test func aSmallTestCardsIsThatOfItsBars() throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.audio) = (320, 180, nil)
        let timeline = TestCardTimeline(frameRate: .thirty, now: 0, wallNanoseconds: 0)
        let pipeline = try TestCardPipeline(settings, timeline: timeline)
        let decoder = try VideoDecoder()
        let units = try pipeline.units(forPicture: 1, wallNanoseconds: 0)
        let decoded = try units.flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.map(\.matrix) == [.bt709])
    }

    @Test func itStaysAsItIsInAnotherSizeThroughEffectsAndForSubstreams() throws {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height, settings.filters) = (1280, 720, "hflip")
        let tee = PictureTee()
        let branch = tee.attach(try Doorbell())
        let stage = try PictureStage(settings, track: TrackID(0), control: EncoderControl(settings), tee: tee)
        let frame = try VideoFrame(width: 1280, height: 720)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        var decoded: [ColourMatrix] = []
        for (number, matrix) in [ColourMatrix.bt709, .bt601, .bt601].enumerated() {
            frame.matrix = matrix
            let units = try stage.units(of: frame, at: MediaTime(ticks: Int64(number) * 3_000, rate: .video))
            #expect(units.map(\.isRandomAccess) == [number < 2], "another matrix is told with an IDR picture")
            let decoder = try VideoDecoder()
            decoded += try (units.flatMap { try decoder.decode($0) } + decoder.finish()).map(\.matrix)
            let offered = try #require(branch.take()).picture.picture()
            #expect(try Scaler(width: 320, height: 180).scale(offered).matrix == matrix)
        }
        #expect(decoded.prefix(2) == [.bt709, .bt601])
    }
}

import Codecs
import Media
import Testing

@Suite struct FrameNumberCodeTests {
    private func grey(_ width: Int = 640, _ height: Int = 64) throws -> VideoFrame {
        let frame = try VideoFrame(width: width, height: height)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        return frame
    }

    @Test(arguments: [0, 1, 2, 1_799, 65_535, FrameNumberCode.modulus - 1])
    func aNumberIsReadBack(number: Int) throws {
        let frame = try grey()
        FrameNumberCode.draw(number, into: frame)
        #expect(FrameNumberCode.read(frame) == number)
    }

    @Test func numbersStartAgainAtTheModulus() throws {
        let frame = try grey()
        FrameNumberCode.draw(FrameNumberCode.modulus + 5, into: frame)
        #expect(FrameNumberCode.read(frame) == 5)
    }

    @Test func aPictureWithoutACodeHasNoNumber() throws {
        #expect(FrameNumberCode.read(try grey()) == nil)
        let small = try grey(320, 64)
        FrameNumberCode.draw(3, into: small)
        #expect(FrameNumberCode.read(small) == nil)
    }

    @Test func anySquareTurnedOverIsNoticed() throws {
        for square in 0..<32 {
            let frame = try grey()
            FrameNumberCode.draw(0x2AB_CDEF, into: frame)
            let left = square * FrameNumberCode.squareSide
            let isWhite = frame.luma[left + 8, 56] > 128
            frame.luma.fill(x: left..<left + 16, y: 48..<64, with: isWhite ? 16 : 235)
            #expect(FrameNumberCode.read(frame) == nil, "square \(square)")
        }
    }

    @Test func theNumberSurvivesCoarseCoding() throws {
        var settings = VideoEncoder.Settings()
        (settings.width, settings.height, settings.bitrate) = (640, 64, 300_000)
        let (encoder, decoder) = (try VideoEncoder(settings), try VideoDecoder())
        let scaler = Scaler(width: 640, height: 64)
        var read: [Int?] = []
        for number in 500..<540 {
            let frame = try grey()
            FrameNumberCode.draw(number, into: frame)
            let time = MediaTime(ticks: Int64(number), rate: .video)
            let units = try encoder.encode(
                frame, track: TrackID(0), presentationTime: time, forcingRandomAccess: false)
            for unit in units {
                read += try decoder.decode(unit).map { FrameNumberCode.read(try scaler.scale($0)) }
            }
        }
        read += try decoder.finish().map { FrameNumberCode.read(try scaler.scale($0)) }
        #expect(read == Array(500..<540))
    }
}

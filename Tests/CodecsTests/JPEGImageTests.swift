import Media
import Testing

@testable import Codecs

/// Frames as JPEG files: size, colours, and which frame of a group is the newest.
struct JPEGImageTests {
    @Test(arguments: [
        // Full size, a smaller width, and one that would enlarge.
        ((1920, 1080), (1, 1), nil, (1920, 1080)), ((1920, 1080), (1, 1), 640, (640, 360)),
        ((320, 240), (0, 1), 1280, (320, 240)),
        // Odd sides, and proportions that give some.
        ((853, 479), (1, 1), nil, (852, 478)), ((1366, 768), (1, 1), 160, (160, 90)),
        // Pixels that are not square: the longer side stays.
        ((704, 576), (16, 11), nil, (704, 396)), ((1440, 1080), (4, 3), 1280, (1280, 720)),
        ((720, 576), (15, 16), nil, (674, 576)),
        // An implausible aspect ratio, and an image that would be lower than 16 pixels.
        ((640, 360), (-3, 0), nil, (640, 360)), ((4096, 16), (1, 1), 160, (160, 16)),
    ])
    func anImageKeepsTheProportionsAndIsNeverEnlarged(
        frame: (Int, Int), pixel: (Int, Int), width: Int?, size: (Int, Int)
    ) {
        #expect(JPEGImage.fittingSize(of: frame, pixel: pixel, width: width) == size)
    }

    /// Readers of JPEG take every file for BT.601 with the full range.
    @Test(arguments: [(ColourMatrix.bt601, 81, 90, 240), (.bt709, 63, 102, 240)])
    func redIsRedWhateverTheMatrixOfTheVideo(matrix: ColourMatrix, luma: UInt8, cb: UInt8, cr: UInt8) throws {
        let frame = try VideoFrame(width: 64, height: 48)
        for (plane, value) in [(frame.luma, luma), (frame.cb, cb), (frame.cr, cr)] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: value)
        }
        frame.matrix = matrix
        for width in [64, 32] {
            let image = try JPEGImage(DecodedVideoFrame(frame.reference), width: width)
            #expect(image.bytes.starts(with: [0xFF, 0xD8]) && image.bytes.suffix(2) == [0xFF, 0xD9])
            let decoded = try StillImage.decode(image.bytes)
            #expect(decoded.width == width && decoded.height == width * 3 / 4 && decoded.range == .full)
            let planes = try VideoFrame(decoded.reference)
            // Red in the full range: 76, 85, 255.
            #expect(abs(Int(planes.luma[8, 8]) - 76) <= 2)
            #expect(abs(Int(planes.cb[4, 4]) - 85) <= 2 && planes.cr[4, 4] >= 252)
            withExtendedLifetime(decoded) {}
        }
    }

    @Test func theNewestFrameOfAGroupIsTheOneThatIsPresentedLast() throws {
        let encoder = try VideoEncoder(smallSettings())
        let units = try encoder.encode(0..<12)
        let frame = try #require(try VideoDecoder.newestFrame(of: units, .h264))
        #expect(frame.presentationTime == time(11).ticks)
        #expect(frame.width == 320 && frame.height == 240)
        let first = try #require(try VideoDecoder.newestFrame(of: [units[0]], .h264))
        #expect(first.presentationTime == time(0).ticks)
        #expect(try VideoDecoder.newestFrame(of: [], .h264) == nil)
        #expect(try VideoDecoder.newestFrame(of: [units[5]], .h264) == nil, "without a keyframe")
    }

    @Test func h265IsDecodedToo() throws {
        let encoder = try H265Encoder(smallSettings())
        let pool = VideoFramePool(width: 320, height: 240)
        var units = try (0..<4).flatMap {
            try encoder.encode(
                makeFrame($0, from: pool), track: TrackID(0), presentationTime: time($0), forcingKeyframe: $0 == 0)
        }
        units += try encoder.finish(track: TrackID(0))
        let frame = try #require(try VideoDecoder.newestFrame(of: units, .h265))
        #expect(frame.presentationTime == time(3).ticks)
    }

    /// The last frame of a source that sends slices one by one may be incomplete.
    @Test func aUnitInPartsIsDecodedWhenItIsComplete() throws {
        let units = try VideoEncoder(smallSettings()).encode(0..<3)
        func part(_ unit: AccessUnit, _ part: AccessUnit.Part, _ range: Range<Int>) -> AccessUnit {
            AccessUnit(
                track: unit.track, presentationTime: unit.presentationTime, decodeTime: unit.decodeTime,
                isKeyframe: unit.isKeyframe, part: part, bytes: unit.bytes, units: Array(unit.units[range]))
        }
        let last = units[0].units.count - 1
        try #require(last >= 1, "parameter sets and a slice")
        let split = [part(units[0], .first, 0..<last), part(units[0], .last, last..<(last + 1)), units[1]]
        let complete = try #require(try VideoDecoder.newestFrame(of: split, .h264))
        #expect(complete.presentationTime == time(1).ticks)
        let cut = split + [part(units[2], .first, 0..<units[2].units.count)]
        #expect(try VideoDecoder.newestFrame(of: cut, .h264)?.presentationTime == time(1).ticks)
    }
}

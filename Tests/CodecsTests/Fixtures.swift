import Codecs
import Media

/// Small pictures, so that the tests are quick.
func smallSettings(gopFrames: Int = 1000) -> VideoEncoder.Settings {
    var settings = VideoEncoder.Settings()
    settings.width = 320
    settings.height = 240
    settings.bitrate = 500_000
    settings.gopFrames = gopFrames
    return settings
}

/// A picture with something in it that moves from one number to the next.
func picture(_ number: Int, from pool: VideoFramePool) throws -> VideoFrame {
    let frame = try pool.take()
    for y in 0..<frame.height {
        for x in 0..<frame.width { frame.luma[x, y] = UInt8(truncatingIfNeeded: x / 2 + y + 4 * number) }
    }
    for plane in [frame.cb, frame.cr] { plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128) }
    return frame
}

extension VideoFrame {
    /// All samples, plane by plane, without what lies between the rows.
    var samples: [UInt8] {
        [luma, cb, cr].flatMap { plane in
            (0..<plane.height).flatMap {
                UnsafeMutableBufferPointer(start: plane.base + $0 * plane.stride, count: plane.width)
            }
        }
    }

    /// Whether every sample is the same. (A comparison in `#expect` would print a hundred thousand of them.)
    func isLike(_ other: VideoFrame) -> Bool { samples == other.samples }
}

/// When picture `number` is captured: thirty a second, from some instant on.
func time(_ number: Int) -> MediaTime { MediaTime(ticks: 1_000 + Int64(number) * 3_000, rate: .video) }

/// The NAL unit types of a unit, in order.
func types(of unit: AccessUnit) -> [UInt8] { unit.units.map { unit.bytes[$0.lowerBound] & 0x1F } }

extension VideoEncoder {
    /// Codes the pictures of these numbers; those in `forced` are asked to be random access points.
    func code(_ numbers: Range<Int>, forcing forced: Set<Int> = []) throws -> [AccessUnit] {
        let pool = VideoFramePool(width: settings.width, height: settings.height)
        return try numbers.flatMap {
            try encode(
                picture($0, from: pool), track: TrackID(0), presentationTime: time($0),
                forcingKeyframe: forced.contains($0))
        }
    }
}

/// The numbers of the pictures among `units` at which a viewer can join.
func randomAccessNumbers(_ units: [AccessUnit]) -> [Int] {
    units.filter(\.isKeyframe).map { Int(($0.presentationTime.ticks - 1_000) / 3_000) }
}

import Codecs
import Media

/// Small frames, so that the tests are fast.
func smallSettings(gopFrames: Int = 1000) -> VideoEncoderSettings {
    var settings = VideoEncoderSettings()
    settings.width = 320
    settings.height = 240
    settings.bitrate = 500_000
    settings.gopFrames = gopFrames
    return settings
}

/// A frame whose content moves from one number to the next.
func makeFrame(_ number: Int, from pool: VideoFramePool) throws -> VideoFrame {
    let frame = try pool.take()
    for y in 0..<frame.height {
        for x in 0..<frame.width { frame.luma[x, y] = UInt8(truncatingIfNeeded: x / 2 + y + 4 * number) }
    }
    for plane in [frame.cb, frame.cr] { plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128) }
    return frame
}

extension VideoFrame {
    /// All samples, plane by plane, without row padding.
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

/// The capture time of frame `number`: thirty a second, from an arbitrary start.
func time(_ number: Int) -> MediaTime { MediaTime(ticks: 1_000 + Int64(number) * 3_000, rate: .video) }

/// The NAL unit types of a unit, in order.
func types(of unit: AccessUnit) -> [UInt8] { unit.units.map { unit.bytes[$0.lowerBound] & 0x1F } }

extension VideoEncoder {
    /// Encodes the frames with these numbers; those in `forced` are forced to be keyframes.
    func encode(_ numbers: Range<Int>, forcing forced: Set<Int> = []) throws -> [AccessUnit] {
        let pool = VideoFramePool(width: settings.width, height: settings.height)
        return try numbers.flatMap {
            try encode(
                makeFrame($0, from: pool), track: TrackID(0), presentationTime: time($0),
                forcingKeyframe: forced.contains($0))
        }
    }
}

/// The numbers of the keyframes among `units`.
func keyframeNumbers(_ units: [AccessUnit]) -> [Int] {
    units.filter(\.isKeyframe).map { Int(($0.presentationTime.ticks - 1_000) / 3_000) }
}

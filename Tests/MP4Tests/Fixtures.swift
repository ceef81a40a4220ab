import Media
import TestSupport

@testable import MP4

/// track_ID of the tracks of a broadcast.
let videoNumber: UInt32 = 1
let audioNumber: UInt32 = 2

/// Parameter sets of x264 for 640×360.
let h264Sets = H264.ParameterSets(
    sequence: [
        [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
    ], picture: [[0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]])!

extension AccessUnit {
    /// The NAL units or blocks.
    var contents: [[UInt8]] { units.map { Array(bytes[$0]) } }
}

extension MP4Packager<[UInt8]> {
    /// The fragments of `units`.
    mutating func fragments(of units: [AccessUnit]) -> [MP4Fragment<[UInt8]>] { units.compactMap { package($0) } }
}

/// The result of reading the init segment and the fragments of `units`.
func read(
    _ units: [AccessUnit], tracks: [Track] = Broadcast.tracks(), _ placement: ParameterSetPlacement = .inBand
) -> MovieReader {
    var packager = MP4Packager<[UInt8]>(tracks: tracks, options: placement)
    var reader = MovieReader(packager.head?.bytes ?? [])
    for fragment in packager.fragments(of: units) { reader.read(fragment.bytes) }
    return reader
}

/// Whole frames, from parts if necessary. Parts of a frame whose beginning is missing are dropped.
func joined(_ units: [AccessUnit]) -> [AccessUnit] {
    var whole: [AccessUnit] = []
    var parts: [AccessUnit] = []
    for unit in units {
        guard unit.part != .whole else {
            whole.append(unit)
            continue
        }
        if unit.part.isStart || !parts.isEmpty { parts.append(unit) }
        guard unit.part == .last, let first = parts.first else { continue }
        whole.append(
            AccessUnit(
                track: first.track, presentationTime: first.presentationTime, decodeTime: first.decodeTime,
                isKeyframe: first.isKeyframe, nalUnits: parts.flatMap(\.contents)))
        parts = []
    }
    return whole
}

import Media
import Synchronization

@testable import Streams

/// A packager that returns the units themselves.
struct EchoPackager: Packager {
    struct Echo: PackagedUnit {
        let track: TrackID
        let presentationTime: MediaTime
        let isKeyframe: Bool
        let byteCount: Int
        var part: AccessUnit.Part { .whole }
    }

    init(tracks: [Track], options: Int) {}

    func package(_ unit: AccessUnit) -> Echo? {
        Echo(
            track: unit.track, presentationTime: unit.presentationTime, isKeyframe: unit.isKeyframe,
            byteCount: unit.bytes.count)
    }
}

extension Track {
    /// Parameter sets of the right types without content.
    static let video = Track(
        id: TrackID(0), clockRate: .video,
        format: .h264(
            H264.ParameterSets(sequence: [[0x67, 0x42, 0xC0, 0x1F]], picture: [[0x68, 0xCE]])!))
    static let audio = Track(
        id: TrackID(1), clockRate: .audio48k,
        format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))
}

extension AccessUnit {
    /// A video frame at `milliseconds` of `byteCount` bytes.
    static func frame(_ milliseconds: Int64, idr: Bool = false, byteCount: Int = 100) -> AccessUnit {
        let time = MediaTime(ticks: milliseconds * 90, rate: .video)
        return AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: idr,
            bytes: [UInt8](repeating: idr ? 0x65 : 0x41, count: byteCount), units: [0..<byteCount])
    }

    static func audio(_ milliseconds: Int64) -> AccessUnit {
        let time = MediaTime(ticks: milliseconds * 48, rate: .audio48k)
        return AccessUnit(
            track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: [1, 2, 3],
            units: [0..<3])
    }

    var milliseconds: Int64 { presentationTime.nanoseconds / 1_000_000 }
}

/// Counts a stream's keyframe requests.
final class CountingSource: Source {
    let requests = Atomic(0)

    func requestKeyframe() {
        requests.add(1, ordering: .relaxed)
    }
}

/// Counts wake-ups.
final class CountingWaker: Waker {
    let count = Atomic(0)

    func wake() {
        count.add(1, ordering: .relaxed)
    }
}

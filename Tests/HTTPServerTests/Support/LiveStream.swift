import Media
import Reactor
import Streams

@testable import HTTPServer

/// A stream of video at 25 frames per second, and perhaps of audio, that a test publishes frame by frame.
final class LiveStream {
    let stream: Streams.Stream
    private var frameCount: Int64 = 0

    init(_ path: String = "/cam", hasAudio: Bool = false, isAnnounced: Bool = true, events: EventBus? = nil) {
        stream = Streams.Stream(path: path, clock: StreamClock(ClockReading.now), events: events)
        if isAnnounced { announce(hasAudio: hasAudio) }
    }

    var path: LivePath { LivePath(stream: stream, join: JoinOptions()) }

    /// - Parameter width: of the frames, in macroblocks.
    func announce(hasAudio: Bool = false, size: Size = .small) {
        // Both sets are valid; without them MP4 would have no size.
        let sets = H264.ParameterSets(sequence: [size.sequenceSet], picture: [Self.pictureSet])!
        let video = Track(id: TrackID(0), format: .h264(sets))
        stream.announce(hasAudio ? [video, Self.audio] : [video])
    }

    enum Size {
        case small
        case large

        var sequenceSet: [UInt8] {
            switch self {
            // 640 × 480 and 1280 × 720, both of the baseline profile.
            case .small: [0x67, 0x42, 0xC0, 0x1E, 0xDA, 0x02, 0x80, 0xF6, 0x80]
            case .large: [0x67, 0x42, 0xC0, 0x1F, 0xDA, 0x01, 0x40, 0x16, 0xE8]
            }
        }
    }

    private static let pictureSet: [UInt8] = [0x68, 0xCE, 0x3C, 0x80]
    private static let audio = Track(
        id: TrackID(1), clockRate: .audio48k,
        format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))

    /// Publishes the next frame.
    func publish(isKeyframe: Bool = false, byteCount: Int = 200, size: Size = .small) {
        let slice = [isKeyframe ? 0x65 : 0x41] + [UInt8](repeating: 7, count: byteCount - 1)
        let units = isKeyframe ? [size.sequenceSet, Self.pictureSet, slice] : [slice]
        let time = MediaTime(ticks: frameCount * 3_600, rate: .video)
        frameCount += 1
        var unit = AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, nalUnits: units)
        unit.captured = nil
        stream.publish(unit)
    }

    /// Publishes a keyframe and some frames behind it.
    func publishGroup(_ count: Int, byteCount: Int = 200) {
        for index in 0..<count { publish(isKeyframe: index == 0, byteCount: byteCount) }
    }

    /// Publishes a frame of audio.
    func publishAudio() {
        let time = MediaTime(ticks: frameCount * 1_920, rate: .audio48k)
        stream.publish(
            AccessUnit(
                track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true,
                nalUnits: [[1, 2, 3, 4]]))
    }
}

/// The boxes of an endless file, as far as they have come.
struct MovieBoxes {
    private(set) var types: [String] = []
    /// The fragments: track, decode time, and whether the sample is a keyframe.
    private(set) var fragments: [Fragment] = []

    struct Fragment: Hashable {
        let track: UInt32
        let decodeTime: UInt64
        let isKeyframe: Bool
    }

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while rest.count >= 8 {
            let size = Int(Self.number(rest.prefix(4)))
            guard size >= 8, rest.count >= size else { return }
            let box = Array(rest.prefix(size))
            types.append(String(decoding: box[4..<8], as: UTF8.self))
            // moof: its header, mfhd (16), the header of traf, tfhd (16), tfdt (20), trun.
            if types.last == "moof" {
                fragments.append(
                    Fragment(
                        track: UInt32(Self.number(box[44..<48])), decodeTime: Self.number(box[60..<68]),
                        // Samples of audio have no flags: all are keyframes.
                        isKeyframe: box.count <= 96 || box[96] == 0x02))
            }
            rest = rest.dropFirst(size)
        }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

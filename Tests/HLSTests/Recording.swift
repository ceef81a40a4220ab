import MP4
import Media

@testable import HLS

/// A segmenter that a test gives frame after frame, in virtual time.
struct Recording {
    private static let sets = H264.ParameterSets(
        sequence: [
            [
                0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00,
                0x00, 0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
            ]
        ], picture: [[0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]])!
    static let video = Track(id: TrackID(0), format: .h264(sets))
    static let audio = Track(
        id: TrackID(1), clockRate: .audio48k,
        format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))
    /// 2026-11-25 19:00:00 UTC is the epoch of the stream.
    static let epoch: Int64 = 1_795_633_200_000_000_000

    var segmenter: Segmenter<[UInt8]>
    private var packager: MP4Packager<[UInt8]>
    private var tracks: [Track]
    /// Milliseconds of media.
    var now: Int64 = 0
    /// The times at which the segmenter asked for a keyframe.
    private(set) var requests: [Int64] = []

    init(_ tracks: [Track] = [video], _ change: (inout SegmenterOptions) -> Void = { _ in }) {
        var options = SegmenterOptions()
        change(&options)
        segmenter = Segmenter(options)
        packager = MP4Packager(tracks: tracks, options: .outOfBand)
        self.tracks = tracks
    }

    /// Sends a frame.
    mutating func frame(isKeyframe: Bool = false, at milliseconds: Int64? = nil, byteCount: Int = 1_000) {
        if let milliseconds { now = milliseconds }
        send(
            Self.video, isKeyframe: isKeyframe,
            [[isKeyframe ? 0x65 : 0x41] + [UInt8](repeating: 7, count: byteCount - 1)])
        if segmenter.wantsKeyframe { requests.append(now) }
    }

    /// Sends a frame of audio.
    mutating func sound(at milliseconds: Int64) {
        let before = now
        now = milliseconds
        send(Self.audio, isKeyframe: true, [[1, 2, 3, 4]])
        now = before
    }

    private mutating func send(_ track: Track, isKeyframe: Bool, _ units: [[UInt8]]) {
        let time = MediaTime(nanoseconds: now * 1_000_000, rate: track.clockRate)
        var unit = AccessUnit(
            track: track.id, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, nalUnits: units)
        unit.captured = NTPTime(unixNanoseconds: Self.epoch + now * 1_000_000)
        if let fragment = packager.package(unit) { segmenter.received(fragment) }
    }

    /// Sends video for some time.
    ///
    /// - Parameters:
    ///   - interval: milliseconds between frames.
    ///   - group: milliseconds between keyframes.
    mutating func play(_ milliseconds: Int64, interval: Int64 = 40, group: Int64 = 1_000) {
        let start = now
        while now < start + milliseconds {
            frame(isKeyframe: (now - start) % group == 0)
            now += interval
        }
    }

    /// Sends what an encoder does, which makes keyframes when it is asked.
    mutating func encode(_ milliseconds: Int64, interval: Int64 = 40) {
        let end = now + milliseconds
        var isAsked = true
        while now < end {
            let count = requests.count
            frame(isKeyframe: isAsked)
            isAsked = requests.count > count
            now += interval
        }
    }

    mutating func announce(_ tracks: [Track]) {
        _ = packager.announced(tracks, after: self.tracks)
        self.tracks = tracks
    }

    /// The lines of the playlist.
    func lines(isDelta: Bool = false, hasEnded: Bool = false, _ reports: [MediaPlaylist<[UInt8]>.Report] = [])
        -> [String]
    {
        MediaPlaylist(of: segmenter, run: "ab", hasEnded: hasEnded)?.text(isDelta: isDelta, reports: reports)
            .split(separator: "\n").map(String.init) ?? []
    }

    /// The values of a tag, in their order.
    func values(of tag: String, isDelta: Bool = false) -> [String] {
        lines(isDelta: isDelta).filter { $0.hasPrefix("#\(tag):") }.map { String($0.dropFirst(tag.utf8.count + 2)) }
    }

    /// The durations of the segments in milliseconds.
    var durations: [Int64] { segmenter.segments.map { $0.duration / 1_000_000 } }
}

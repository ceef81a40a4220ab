import MP4
import Media

/// Collects the first fragments of a stream until its frame rate and the distance of its keyframes are known, because what a playlist
/// says of durations may never change.
struct TimingProbe<Storage: FragmentStorage>: Sendable {
    private(set) var fragments: [MP4Fragment<Storage>] = []
    private var leading: TrackID?
    /// Decode times of the leading track, in nanoseconds.
    private var times: [Int64] = []
    private var keyframes: [Int64] = []
    private var byteCount = 0
    private let options: SegmenterOptions

    init(_ options: SegmenterOptions) {
        self.options = options
    }

    /// Takes the next fragment.
    ///
    /// - Returns: the durations of the playlist, once they are known.
    mutating func received(_ fragment: MP4Fragment<Storage>, leading track: TrackID) -> SegmentTiming? {
        if leading != track { (leading, times, keyframes, fragments, byteCount) = (track, [], [], [], 0) }
        guard fragment.track == track else {
            if !keyframes.isEmpty { keep(fragment) }
            return nil
        }
        let time = fragment.streamDecodeTime.nanoseconds
        if fragment.isKeyframe { keyframes.append(time) }
        guard let first = keyframes.first else { return nil }
        times.append(time)
        keep(fragment)
        let isOver = time - first >= Int64(SegmentTiming.maximumTargetSeconds) * 1_000_000_000
        guard fragment.isKeyframe && hasSegmentDuration || isOver || byteCount > options.maximumByteCount / 2 else {
            return nil
        }
        return SegmentTiming(longestGroup: longestGroup(at: time), frameInterval: interval, options)
    }

    /// Whether a keyframe would end the first segment.
    var hasSegmentDuration: Bool {
        guard let first = keyframes.first, let last = times.last else { return false }
        return last - first >= options.segmentDuration * 9 / 10
    }

    private mutating func keep(_ fragment: MP4Fragment<Storage>) {
        fragments.append(fragment)
        byteCount += fragment.byteCount
    }

    private func longestGroup(at now: Int64) -> Int64 {
        guard options.keyframes == .asTheyCome else { return 0 }
        let ends = keyframes.dropFirst() + [now]
        return zip(keyframes, ends).map { $1 - $0 }.max() ?? 0
    }

    /// The median distance of frames, so that a pause does not count.
    private var interval: Int64 {
        let distances = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
        return distances.isEmpty ? 0 : distances[distances.count / 2]
    }
}

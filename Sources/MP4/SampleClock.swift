/// Decides the decode times and durations of one track's samples, each of which is sent before the next is known.
///
/// Browsers drop everything up to the next keyframe if a decode time is later than the previous one by more than two durations
/// (Media Source Extensions, 3.5.8, *coded frame processing*). So a decode time advances by less than that: after a pause it is behind
/// the stream's, with a larger composition offset, and catches up with the next samples. Presentation times are never changed
/// (docs/decisions/051).
struct SampleClock: Sendable {
    /// Times of a sample in ticks.
    struct Times: Hashable, Sendable {
        let decode: Int64
        let duration: Int64
    }

    /// Eight times the mean distance between decode times, smoothed as in RFC 6298 (so that a constant distance is met exactly); 0
    /// before the first.
    private var smoothed: Int64 = 0
    /// The last sample: its decode time in the stream, that in the fragment, and its duration.
    private var last: (stream: Int64, fragment: Int64, duration: Int64)?
    /// Ticks per second.
    private let hertz: Int64

    init(hertz: Int32) {
        self.hertz = Int64(hertz)
    }

    /// Before the second frame, a frame rate of 30 is assumed.
    private static let initialRate: Int64 = 30
    /// Two seconds: players that follow decode times are not to buffer more. After a longer pause decode times are the stream's.
    private var maximumLag: Int64 { 2 * hertz }
    /// A minute: the slowest stream whose frames are all shown has a frame per minute.
    private var maximumDistance: Int64 { 60 * hertz }

    /// How far decode times are behind the stream's; 0 unless the stream has paused.
    var lag: Int64 { last.map { $0.stream &- $0.fragment } ?? 0 }

    /// The duration of a sample that does not tell its own, in ticks.
    var expectedDuration: Int64 { max(1, smoothed > 0 ? smoothed / 8 : hertz / Self.initialRate) }

    /// The times of the next sample, which the stream decodes at `decode`.
    ///
    /// - Parameters:
    ///   - duration: `nil` if it is not known.
    ///   - following: ticks from this sample to the last one of the same unit.
    mutating func next(decodedAt decode: Int64, lasting duration: Int64?, following: Int64 = 0) -> Times {
        if let last { observe(decode &- last.stream) }
        let times = Times(decode: bridged(decode), duration: max(1, duration ?? expectedDuration))
        last = (decode &+ following, times.decode &+ following, times.duration)
        return times
    }

    private mutating func observe(_ distance: Int64) {
        guard distance > 0 else { return }
        guard smoothed > 0 else {
            smoothed = 8 * min(distance, maximumDistance)
            return
        }
        // A pause counts as eight frames at most, because it says little of the frame rate.
        smoothed += min(distance, smoothed, maximumDistance) - smoothed / 8
    }

    private func bridged(_ decode: Int64) -> Int64 {
        guard let last, decode > last.stream else { return decode }
        // An eighth less than two durations, because browsers round both to microseconds.
        let latest = last.fragment &+ 2 * last.duration &- last.duration / 8
        return decode > latest && decode &- latest <= maximumLag ? latest : decode
    }
}

/// Decides the decode times and durations of one track's samples, of which each is sent before the next is known.
///
/// MSE (Media Source Extensions, 3.5.8, *coded frame processing*, step 6) drops everything up to the next keyframe if a decode time
/// is more than two durations behind the previous one. So a decode time advances by at most that: after a pause it is behind the
/// stream's, with a larger composition offset, and catches up with the next samples. Presentation times are never changed.
struct SampleClock: Sendable {
    /// Eight times the smoothed distance between decode times, so that a constant distance is met exactly; 0 before the first.
    private var smoothed: Int64 = 0
    /// The last sample: its decode time in the stream, that in the fragment, and its duration.
    private var last: (stream: Int64, fragment: Int64, duration: Int64)?
    /// Ticks per second.
    private let hertz: Int64

    init(hertz: Int32) {
        self.hertz = Int64(hertz)
    }

    /// Times of a sample in ticks.
    struct Times: Hashable, Sendable {
        let decode: Int64
        let duration: Int64
    }

    /// How far decode times fall behind the stream's; 0 unless it has paused.
    var lag: Int64 { last.map { $0.stream &- $0.fragment } ?? 0 }

    /// The times of the next sample, which the stream decodes at `decode`.
    ///
    /// - Parameters:
    ///   - duration: `nil` if it is not known.
    ///   - following: ticks of further samples that follow it without a gap.
    mutating func next(decodedAt decode: Int64, lasting duration: Int64?, following: Int64 = 0) -> Times {
        if let last { observe(decode &- last.stream) }
        let times = Times(decode: bridged(decode), duration: max(1, duration ?? expectedDuration))
        last = (decode &+ following, times.decode &+ following, times.duration)
        return times
    }

    /// The duration of a sample that says nothing of it, in ticks.
    var expectedDuration: Int64 { max(1, smoothed > 0 ? smoothed / 8 : hertz / Self.initialRate) }

    /// Before the second frame, a frame rate of 30 is assumed.
    private static let initialRate: Int64 = 30
    /// A second: a longer pause says nothing of the frame rate.
    private var maximumDistance: Int64 { hertz }
    /// Two seconds: players that follow decode times are to buffer no more than this.
    private var maximumLag: Int64 { 2 * hertz }

    private mutating func observe(_ distance: Int64) {
        guard distance > 0 else { return }
        let distance = min(distance, maximumDistance)
        smoothed = smoothed == 0 ? 8 * distance : smoothed + distance - smoothed / 8
    }

    private func bridged(_ decode: Int64) -> Int64 {
        guard let last, decode > last.stream else { return decode }
        let latest = last.fragment &+ 2 * last.duration
        return decode > latest && decode &- latest <= maximumLag ? latest : decode
    }
}

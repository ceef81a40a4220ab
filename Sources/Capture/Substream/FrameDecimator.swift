import Codecs
import Media

/// Which pictures to take where fewer are wanted than come. A pure value.
struct FrameDecimator: Hashable, Sendable {
    /// From one picture to the next, in nanoseconds.
    private let interval: Int64
    private var due = Int64.min

    init(_ rate: VideoEncoder.FrameRate) {
        interval = Int64(rate.denominator) * 1_000_000_000 / Int64(rate.numerator)
    }

    /// Whether to take the picture of this time; times rise.
    mutating func takes(_ time: MediaTime) -> Bool {
        let now = time.nanoseconds
        // A quarter of an interval is jitter: without it, each picture that comes a little early would be left out.
        guard due == .min || now >= due - interval / 4 else { return false }
        // Where fewer come than are wanted, nothing is made up for.
        due = max(due == .min ? now : due, now - interval) + interval
        return true
    }
}

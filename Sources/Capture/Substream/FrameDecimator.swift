import Codecs
import Media

/// Selects frames to reduce the frame rate. A pure value.
struct FrameDecimator: Hashable, Sendable {
    /// The target frame interval in nanoseconds.
    private let interval: Int64
    private var due = Int64.min

    /// - Parameter divisor: how many frames of this rate there are for each frame to take.
    init(_ rate: FrameRate, dividedBy divisor: Int = 1) {
        interval = Int64(rate.denominator) * 1_000_000_000 * Int64(divisor) / Int64(rate.numerator)
    }

    /// Whether to take the frame with this time. Times rise.
    mutating func takes(_ time: MediaTime) -> Bool {
        let now = time.nanoseconds
        // Tolerates a quarter of an interval as jitter; otherwise every frame that is a little early would be dropped.
        guard due == .min || now >= due - interval / 4 else { return false }
        // If frames come more slowly than the target, missing ones are not made up for.
        due = max(due == .min ? now : due, now - interval) + interval
        return true
    }
}

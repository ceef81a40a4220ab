import Media
import Reactor

/// The clock of a source: the host's clock, or a test's virtual clock, which advances without waiting.
struct PaceClock: Sendable {
    let now: @Sendable () -> MonotonicTime
    /// Blocks until the instant; false if the signal was raised earlier.
    let wait: @Sendable (MonotonicTime, StopSignal) -> Bool

    static let host = PaceClock(now: { .now() }, wait: { $1.sleep(until: $0) })
}

import Media
import Reactor

/// Time as a source sees it: the host's, or a test's, which passes without waiting.
struct PaceClock: Sendable {
    let now: @Sendable () -> MonotonicTime
    /// Blocks until the instant; false if the signal came first.
    let wait: @Sendable (MonotonicTime, StopSignal) -> Bool

    static let host = PaceClock(now: { .now() }, wait: { $1.sleep(until: $0) })
}

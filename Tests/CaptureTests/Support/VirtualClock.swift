import Media
import Synchronization

@testable import Capture

/// A clock that advances only when a thread waits for it.
final class VirtualClock: Sendable {
    private let nanoseconds = Atomic<Int64>(5_000_000_000)

    /// Advances without a waiting thread.
    func pass(milliseconds: Int64) {
        nanoseconds.add(milliseconds * 1_000_000, ordering: .relaxed)
    }

    var clock: PaceClock {
        PaceClock(
            now: { MonotonicTime(nanoseconds: self.nanoseconds.load(ordering: .relaxed)) },
            wait: { instant, stop in
                guard !stop.isSet else { return false }
                let now = self.nanoseconds.load(ordering: .relaxed)
                self.nanoseconds.store(max(now, instant.nanoseconds), ordering: .relaxed)
                return true
            })
    }
}

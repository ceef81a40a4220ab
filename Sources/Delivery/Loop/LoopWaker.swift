import Reactor
import Streams
import Synchronization

/// Wakes a loop when its streams have something new.
///
/// If a service of the loop itself publishes a unit, no wake-up is needed, because the loop serves its viewers later in the same
/// turn. Thread-safe.
final class LoopWaker: Waker {
    private let loop: EventLoop
    private let hasPublished = Atomic(false)

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func wake() {
        if loop.isCurrent { hasPublished.store(true, ordering: .relaxed) } else { loop.wake() }
    }

    /// Whether the loop's own thread has published something since the last call.
    func takePublished() -> Bool {
        guard hasPublished.load(ordering: .relaxed) else { return false }
        hasPublished.store(false, ordering: .relaxed)
        return true
    }
}

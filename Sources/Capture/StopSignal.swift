import Glibc
import Media
import Reactor
import Synchronization

/// The order to end that a source's thread looks for while it waits.
final class StopSignal: Sendable {
    private let isRaised = Atomic(false)

    /// From any thread, at any time. It holds until `consume`, so that an order given just before a run begins is not lost.
    func raise() {
        isRaised.store(true, ordering: .releasing)
    }

    var isSet: Bool { isRaised.load(ordering: .acquiring) }

    /// Ready for the next run: called at the end of a run.
    func consume() {
        isRaised.store(false, ordering: .releasing)
    }

    /// Blocks the thread until `deadline`; wakes within 50 ms of an order to end.
    ///
    /// - Returns: whether to go on.
    func sleep(until deadline: MonotonicTime) -> Bool {
        while !isSet {
            let now = MonotonicTime.now()
            guard now < deadline else { return true }
            var target = timespec(min(deadline, now.advanced(byMilliseconds: 50)))
            // Interrupted by a signal: the loop looks again.
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &target, nil)
        }
        return false
    }
}

extension timespec {
    fileprivate init(_ time: MonotonicTime) {
        self.init(
            tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
    }
}

import Glibc
import Media
import Reactor
import Synchronization

/// A stop flag that a waiting source thread checks every 50 ms.
final class StopSignal: Sendable {
    private let isRaised = Atomic(false)

    /// Raises the signal, from any thread at any time. It stays set until `consume`, so a stop just before a run is not lost.
    func raise() {
        isRaised.store(true, ordering: .releasing)
    }

    var isSet: Bool { isRaised.load(ordering: .acquiring) }

    /// Resets the signal at the end of a run.
    func consume() {
        isRaised.store(false, ordering: .releasing)
    }

    /// Blocks the thread until `deadline`, or until at most 50 ms after the signal was raised.
    ///
    /// - Returns: false if the signal was raised.
    func sleep(until deadline: MonotonicTime) -> Bool {
        while !isSet {
            let now = MonotonicTime.now()
            guard now < deadline else { return true }
            var target = timespec(min(deadline, now.advanced(byMilliseconds: 50)))
            // If a POSIX signal interrupts the sleep, the loop sleeps again.
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

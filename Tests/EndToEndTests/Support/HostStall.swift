import Foundation
import Reactor
import Synchronization

/// A time at which the machine itself stood still, for a processor was given to someone else, as a virtual machine's may be.
///
/// On each processor a thread that goes before all others sleeps for 2 ms again and again; by how much it wakes too late is for how long
/// nobody ran there. What Apus, its clients or the tests take of a processor does not make it late.
struct Standstill: Sendable {
    let end: ContinuousClock.Instant
    let duration: Duration

    private static let longOnes = Mutex<[Self]>([])

    /// Those of 10 ms and more that have ended since `start`. None where threads may not go before others.
    static func all(since start: ContinuousClock.Instant) -> [Self] {
        longOnes.withLock { $0.filter { $0.end >= start } }
    }

    /// Begins to look for them, where that has not begun yet.
    static func watch() { _ = watches }

    private static let watches: Void = {
        for processor in Processors.usable() {
            Thread.detachNewThread { watch(processor) }
        }
    }()

    private static func watch(_ processor: Int) {
        var priority = sched_param(sched_priority: sched_get_priority_min(SCHED_FIFO))
        guard Processors.pinThisThread(on: processor),
            pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0
        else { return }
        while true {
            let start = ContinuousClock.now
            usleep(2_000)
            let standstill = Self(end: .now, duration: ContinuousClock.now - start - .milliseconds(2))
            if standstill.duration >= .milliseconds(10) { longOnes.withLock { $0.append(standstill) } }
        }
    }
}

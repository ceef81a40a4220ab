import Foundation
import Reactor
import Synchronization

/// An interval during which the machine itself stalled, because a virtual machine's host gave the processor to another task.
///
/// On each processor, a thread with real-time priority repeatedly sleeps for 2 ms. If it wakes late, nothing ran on that
/// processor for this time. The load from Apus, its clients and the tests cannot delay it.
struct HostStall: Sendable {
    let end: ContinuousClock.Instant
    let duration: Duration

    private static let longOnes = Mutex<[Self]>([])

    /// Returns the stalls of at least 10 ms that have ended since `start`; empty without permission for real-time priority.
    static func all(since start: ContinuousClock.Instant) -> [Self] {
        longOnes.withLock { $0.filter { $0.end >= start } }
    }

    /// Starts the threads, if they are not running yet.
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
            let hostStall = Self(end: .now, duration: ContinuousClock.now - start - .milliseconds(2))
            if hostStall.duration >= .milliseconds(10) { longOnes.withLock { $0.append(hostStall) } }
        }
    }
}

import Logging
import Media
import Reactor
import Synchronization

/// Runs a `Watchdog` with the host's clock, on its own thread.
///
/// The checks run on that thread as well, so that a blocked shared thread does not look like a stuck loop.
final class WatchdogTimer: Sendable {
    private let watchdog: Mutex<Watchdog>
    private let thread: WorkThread
    private let ask: @Sendable () async -> Void
    private let notify: @Sendable () -> Void
    private let log: Logger

    /// - Parameters:
    ///   - watchdogTimeout: systemd's timeout, in nanoseconds.
    ///   - ask: returns when all event loops have turned.
    ///   - notify: notifies systemd that the server is alive.
    init(
        watchdogTimeout: Int64, log: Logger, ask: @escaping @Sendable () async -> Void,
        notify: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        thread = try WorkThread(name: "apus-watchdog")
        watchdog = Mutex(Watchdog(watchdogTimeout: watchdogTimeout, start: .now()))
        (self.ask, self.notify, self.log) = (ask, notify, log)
    }

    /// Starts the checks, which end when this object is released.
    func start() {
        thread.run { [weak self] in self?.timePassed() }
    }

    private func timePassed() {
        let now = MonotonicTime.now()
        let (order, deadline) = watchdog.withLock { ($0.timePassed(to: now), $0.deadline) }
        perform(order)
        thread.run(at: deadline) { [weak self] in self?.timePassed() }
    }

    private func perform(_ order: Watchdog.Order?) {
        switch order {
        case .ask:
            Task(executorPreference: thread) { [weak self, ask] in
                await ask()
                self?.answered()
            }
        case .notify: notify()
        case .report(let nanoseconds):
            log.error(
                "an event loop has not turned for \(nanoseconds / 1_000_000) ms; systemd will restart this process")
        case nil: break
        }
    }

    private func answered() {
        perform(watchdog.withLock { $0.answered() })
    }
}

import Media
import Reactor
import Synchronization

/// Runs an action at regular intervals, on its own thread.
final class RepeatingTimer: Sendable {
    private struct State {
        var seconds = 0
        /// Counts the changes of the interval. Actions that were scheduled before the last change do not run.
        var round = 0
    }

    private let thread: WorkThread
    private let state = Mutex(State())

    /// - Parameter name: the name of the thread.
    init(name: String) throws(SystemError) {
        thread = try WorkThread(name: name)
    }

    /// Runs `action` at this interval, instead of the action before; 0 stops it. The same interval as before changes nothing.
    func run(everySeconds seconds: Int, _ action: @escaping @Sendable () -> Void) {
        let round = state.withLock { state -> Int? in
            guard seconds != state.seconds else { return nil }
            state.seconds = seconds
            state.round += 1
            return state.round
        }
        guard let round, seconds > 0 else { return }
        waitAndAct(at: .now(), everySeconds: seconds, in: round, action)
    }

    /// - Parameter last: the time for which the last run was scheduled.
    private func waitAndAct(
        at last: MonotonicTime, everySeconds seconds: Int, in round: Int, _ action: @escaping @Sendable () -> Void
    ) {
        // If an action took longer than the interval, the missed run is not made up for.
        let due = max(last.advanced(byMilliseconds: Int64(seconds) * 1_000), .now())
        thread.run(at: due) { [weak self] in
            guard let self, state.withLock({ $0.round }) == round else { return }
            action()
            waitAndAct(at: due, everySeconds: seconds, in: round, action)
        }
    }
}

import Media
import Reactor
import Synchronization

/// Does something again and again, on a thread of its own.
final class RepeatingTimer: Sendable {
    private struct State {
        var seconds = 0
        /// Counts the calls that changed the interval: work of an earlier one does nothing.
        var round = 0
    }

    private let thread: WorkThread
    private let state = Mutex(State())

    /// - Parameter name: of the thread.
    init(name: String) throws(SystemError) {
        thread = try WorkThread(name: name)
    }

    /// From now on so often, in place of what was before; 0 ends it. The same interval again changes nothing.
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

    /// - Parameter last: when the action was due last.
    private func waitAndAct(
        at last: MonotonicTime, everySeconds seconds: Int, in round: Int, _ action: @escaping @Sendable () -> Void
    ) {
        // After an action that took longer than the interval, the next is not made up for.
        let due = max(last.advanced(byMilliseconds: Int64(seconds) * 1_000), .now())
        thread.run(at: due) { [weak self] in
            guard let self, state.withLock({ $0.round }) == round else { return }
            action()
            waitAndAct(at: due, everySeconds: seconds, in: round, action)
        }
    }
}

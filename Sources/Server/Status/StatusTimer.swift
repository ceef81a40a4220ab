import Dispatch
import Synchronization

/// Does something again and again, on a queue of its own.
final class StatusTimer: Sendable {
    private struct State {
        var seconds = 0
        var timer: (any DispatchSourceTimer)?
    }

    private let queue = DispatchQueue(label: "apus.status")
    private let state = Mutex(State())

    /// From now on so often, in place of what was before; 0 ends it. The same interval again changes nothing.
    func run(everySeconds seconds: Int, _ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard seconds != state.seconds else { return }
            state.seconds = seconds
            state.timer?.cancel()
            state.timer = nil
            guard seconds > 0 else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + .seconds(seconds), repeating: .seconds(seconds))
            timer.setEventHandler(handler: action)
            timer.resume()
            state.timer = timer
        }
    }

    deinit {
        state.withLock { $0.timer?.cancel() }
    }
}

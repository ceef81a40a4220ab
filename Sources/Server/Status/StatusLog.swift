import Dispatch
import Reactor
import Synchronization

/// Writes the status to the log at regular intervals.
final class StatusLog: Component {
    let name = "the status log"
    private let timer: RepeatingTimer
    private let seconds: Int
    private let action = Mutex<@Sendable () -> Void> {}

    /// - Parameter seconds: the interval from the start on; 0 for never.
    init(everySeconds seconds: Int) throws(SystemError) {
        timer = try RepeatingTimer(name: "apus-status")
        self.seconds = seconds
    }

    /// Writes the status. Set it before the start.
    var write: @Sendable () -> Void {
        get { action.withLock(\.self) }
        set { action.withLock { $0 = newValue } }
    }

    /// Writes at this interval from now on; 0 for never.
    func run(everySeconds seconds: Int) {
        timer.run(everySeconds: seconds) { [weak self] in self?.write() }
    }

    func start() { run(everySeconds: seconds) }

    func stop() { run(everySeconds: 0) }

    func join(until deadline: DispatchTime) -> Bool { true }
}

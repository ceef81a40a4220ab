import Dispatch
import Reactor

/// A part of the server that lives as long as the server. Only `Components` starts and stops it.
protocol Component: Sendable {
    /// Its name in messages.
    var name: String { get }
    /// What is logged if it has not stopped in time.
    var overdueWarning: String { get }

    /// Starts it, on its own threads. Returns at once.
    func start() throws(SystemError)
    /// Asks it to stop, once after `start`. Returns at once.
    func stop()
    /// Waits until it has stopped, but not longer than `deadline`.
    ///
    /// - Returns: whether it has stopped.
    func join(until deadline: DispatchTime) -> Bool
}

extension Component {
    var overdueWarning: String { "\(name) did not stop in time" }
}

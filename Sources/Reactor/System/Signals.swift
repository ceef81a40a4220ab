import CLinux
import Glibc

/// The signals that a server heeds: SIGTERM and SIGINT end it, SIGUSR1 asks how it is doing, SIGHUP has it read its
/// configuration again.
public enum Signals {
    /// Ignores SIGPIPE, and holds back the others for `waitForTermination`.
    ///
    /// To be called first of all in `main`: only threads that start later inherit it.
    public static func block() {
        clinux_hold_signals()
    }

    /// Blocks the calling thread until SIGTERM or SIGINT comes; answers its number.
    ///
    /// - Parameters:
    ///   - onStatusRequest: called on this thread for SIGUSR1. Signals that come meanwhile wait.
    ///   - onReload: the same for SIGHUP.
    public static func waitForTermination(
        onStatusRequest: () -> Void = {}, onReload: () -> Void = {}
    ) -> Int32 {
        while true {
            switch clinux_wait_for_signal() {
            case SIGUSR1: onStatusRequest()
            case SIGHUP: onReload()
            case let number: return number
            }
        }
    }

    /// Blocks the calling thread for so long, or until SIGTERM or SIGINT comes; answers whether one came.
    public static func isTerminated(withinSeconds seconds: Int) -> Bool {
        clinux_is_ended_within(Int32(clamping: seconds)) != 0
    }
}

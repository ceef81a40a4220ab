import CLinux
import Glibc

/// The signals that a server heeds: SIGTERM and SIGINT end it, SIGUSR1 asks how it is doing.
public enum Signals {
    /// Ignores SIGPIPE, and holds back SIGTERM, SIGINT and SIGUSR1 for `waitForTermination`.
    ///
    /// To be called first of all in `main`: only threads that start later inherit it.
    public static func hold() {
        clinux_hold_signals()
    }

    /// Blocks the calling thread until SIGTERM or SIGINT comes; answers its number.
    ///
    /// - Parameter onStatusRequest: called on this thread for SIGUSR1. Signals that come meanwhile wait.
    public static func waitForTermination(onStatusRequest: () -> Void = {}) -> Int32 {
        while true {
            let number = clinux_wait_for_signal()
            guard number == SIGUSR1 else { return number }
            onStatusRequest()
        }
    }
}

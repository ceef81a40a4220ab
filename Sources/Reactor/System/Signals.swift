import CLinux
import Glibc

/// The signals that the server handles: SIGTERM and SIGINT end it, SIGUSR1 requests its status, SIGHUP reloads its
/// configuration.
public enum Signals {
    /// Ignores SIGPIPE and blocks the other signals, so that `waitForTermination` receives them.
    ///
    /// Must be called first in `main` because only threads that start later inherit the signal mask.
    public static func block() {
        clinux_hold_signals()
    }

    /// Blocks the calling thread until SIGTERM or SIGINT arrives; returns the signal's number.
    ///
    /// - Parameters:
    ///   - onStatusRequest: Called on this thread for SIGUSR1. Signals that arrive meanwhile stay pending.
    ///   - onReload: Called in the same way for SIGHUP.
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

    /// Blocks the calling thread for `seconds`, or until SIGTERM or SIGINT arrives; returns whether one arrived.
    public static func isTerminated(withinSeconds seconds: Int) -> Bool {
        clinux_is_ended_within(Int32(clamping: seconds)) != 0
    }
}

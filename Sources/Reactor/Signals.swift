import CLinux

/// The signals that end a server.
public enum Signals {
    /// Ignores SIGPIPE, and holds back SIGTERM and SIGINT for `waitForTermination`.
    ///
    /// To be called first of all in `main`: only threads that start later inherit it.
    public static func hold() {
        clinux_hold_signals()
    }

    /// Blocks the calling thread until SIGTERM or SIGINT comes; answers its number.
    public static func waitForTermination() -> Int32 {
        clinux_wait_for_termination()
    }
}

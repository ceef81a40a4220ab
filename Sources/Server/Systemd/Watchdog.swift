import Media

/// Decides when systemd is notified that the server is alive: when all event loops have turned since the last check.
///
/// They are checked twice within systemd's timeout. A loop that is blocked for less than half of the timeout has no effect. If a loop
/// is stuck, there is no notification, and systemd restarts the service.
///
///     asked ──answered──▶ notify ──time passed──▶ ask ──time passed──▶ report, once ──answered──▶ notify
///
/// A value without a clock. After each input, perform the returned order, then wait for `deadline`.
struct Watchdog: Sendable {
    enum Order: Hashable, Sendable {
        /// Make all loops turn, and call `answered` then.
        case ask
        /// Notify systemd that the server is alive.
        case notify
        /// Log that a loop has not turned for this many nanoseconds.
        case report(Int64)
    }

    /// Time between two checks, in nanoseconds: half of systemd's timeout.
    let interval: Int64
    /// When to call `timePassed` next.
    private(set) var deadline: MonotonicTime
    /// The time of a check without an answer.
    private var question: MonotonicTime?
    private var isReported = false

    /// The first check is at `start`.
    ///
    /// - Parameter watchdogTimeout: systemd's timeout, in nanoseconds: at least 2.
    init(watchdogTimeout: Int64, start: MonotonicTime) {
        interval = max(1, watchdogTimeout / 2)
        deadline = start
    }

    mutating func timePassed(to now: MonotonicTime) -> Order? {
        guard now >= deadline else { return nil }
        deadline = now + interval
        guard let question else {
            self.question = now
            return .ask
        }
        guard !isReported else { return nil }
        isReported = true
        return .report(now - question)
    }

    /// All loops have turned since the check.
    mutating func answered() -> Order? {
        guard question != nil else { return nil }
        (question, isReported) = (nil, false)
        return .notify
    }
}

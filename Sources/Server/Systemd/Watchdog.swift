import Media

/// When systemd is told that the server is alive: whenever all event loops have turned since they were last asked to.
///
/// They are asked twice in the time that systemd waits. A loop that is held up for less than half of it costs nothing; one that
/// is stuck answers no more, so nothing is told, and systemd ends the process and starts another.
///
///     asked ──answered──▶ tell ──time passed──▶ ask ──time passed──▶ report, once ──answered──▶ tell
///
/// A value without a clock. The law: one input, obey its order, then wait for `deadline`.
struct Watchdog: Sendable {
    enum Order: Hashable, Sendable {
        /// Have all loops turn, and say so by `answered`.
        case ask
        /// Tell systemd that the server is alive.
        case notify
        /// Log that a loop has not turned for so many nanoseconds.
        case report(Int64)
    }

    /// Between two questions, in nanoseconds: half of what systemd waits.
    let interval: Int64
    /// When the time is next to be told, by `timePassed`.
    private(set) var deadline: MonotonicTime
    /// Since when no answer has come.
    private var question: MonotonicTime?
    private var isReported = false

    /// Asks first at `start`.
    ///
    /// - Parameter watchdogTimeout: systemd's, in nanoseconds: at least 2.
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

    /// All loops have turned since the question.
    mutating func answered() -> Order? {
        guard question != nil else { return nil }
        (question, isReported) = (nil, false)
        return .notify
    }
}

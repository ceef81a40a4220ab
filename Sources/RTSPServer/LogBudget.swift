import Logging
import Media

/// How often a message may be logged: a burst, then once per interval. What is left out is counted, and told with the
/// next.
struct LogBudget {
    private let burst: Int
    /// In nanoseconds.
    private let interval: Int64
    private var tokens: Int
    private var lastRefill: MonotonicTime?
    private var leftOutCount = 0

    init(burst: Int, interval: Int64) {
        self.burst = burst
        self.interval = interval
        tokens = burst
    }

    /// For errors that one client can cause as often as it likes.
    static let oncePerMinute = LogBudget(burst: 1, interval: 60_000_000_000)

    /// Whether a message may be logged now.
    ///
    /// - Parameter others: messages that were left out elsewhere, to be counted here.
    /// - Returns: how many have been left out since the last; `nil` where this one is, too.
    mutating func admit(at now: MonotonicTime, counting others: Int = 0) -> Int? {
        refill(at: now)
        leftOutCount += others
        guard tokens > 0 else {
            leftOutCount += 1
            return nil
        }
        tokens -= 1
        return takeLeftOutCount()
    }

    /// How many were left out since the last; they are told now.
    mutating func takeLeftOutCount() -> Int {
        defer { leftOutCount = 0 }
        return leftOutCount
    }

    private mutating func refill(at now: MonotonicTime) {
        guard let last = lastRefill else { return lastRefill = now }
        let earned = max(0, now - last) / interval
        guard earned > 0 else { return }
        tokens = earned >= Int64(burst - tokens) ? burst : tokens + Int(earned)
        lastRefill = last + earned &* interval
    }
}

/// The budgets of one loop.
struct LogBudgets {
    var droppedConnections = LogBudget.oncePerMinute
    var refusedGroups = LogBudget.oncePerMinute
    /// People mistype more than once, and want to see each.
    var unknownPaths = LogBudget(burst: 8, interval: 60_000_000_000)
    /// The same of passwords; whoever tries thousands is seen from the count.
    var refusedAccess = LogBudget(burst: 8, interval: 60_000_000_000)
    /// One for each address and lock-out.
    var lockOuts = LogBudget(burst: 8, interval: 60_000_000_000)
    /// Whoever finds the port of TLS and speaks otherwise, or distrusts the certificate.
    var failedHandshakes = LogBudget(burst: 8, interval: 60_000_000_000)
    /// Joined, paused, left: one line each, until a flood of short-lived connections comes.
    var activity = LogBudget(burst: 500, interval: 100_000_000)
}

extension Logger {
    /// Logs the message unless that would be too often.
    func log(
        _ level: Level, _ message: Message, metadata: @autoclosure () -> Metadata, within budget: inout LogBudget,
        counting others: Int = 0, at now: MonotonicTime
    ) {
        guard let leftOut = budget.admit(at: now, counting: others) else { return }
        var metadata = metadata()
        if leftOut > 0 { metadata["unlogged"] = "\(leftOut) more" }
        log(level: level, message, metadata: metadata)
    }
}

import Logging
import Media

/// Limits how often a message is logged: a burst, then once per interval. Suppressed messages are counted, and their count is
/// logged with the next message.
struct LogRateLimiter {
    private let burst: Int
    /// The interval in nanoseconds.
    private let interval: Int64
    private var tokens: Int
    private var lastRefill: MonotonicTime?
    private var suppressedCount = 0

    init(burst: Int, interval: Int64) {
        self.burst = burst
        self.interval = interval
        tokens = burst
    }

    /// For errors that one client can cause as often as it likes.
    static let oncePerMinute = LogRateLimiter(burst: 1, interval: 60_000_000_000)

    /// Whether a message may be logged now.
    ///
    /// - Parameter others: messages that were suppressed elsewhere, to be counted here.
    /// - Returns: how many messages have been suppressed since the last; `nil` if this one is suppressed too.
    mutating func admit(at now: MonotonicTime, counting others: Int = 0) -> Int? {
        refill(at: now)
        suppressedCount += others
        guard tokens > 0 else {
            suppressedCount += 1
            return nil
        }
        tokens -= 1
        return takeSuppressedCount()
    }

    /// Returns and resets the number of suppressed messages.
    mutating func takeSuppressedCount() -> Int {
        defer { suppressedCount = 0 }
        return suppressedCount
    }

    private mutating func refill(at now: MonotonicTime) {
        guard let last = lastRefill else { return lastRefill = now }
        let earned = max(0, now - last) / interval
        guard earned > 0 else { return }
        tokens = earned >= Int64(burst - tokens) ? burst : tokens + Int(earned)
        lastRefill = last + earned &* interval
    }
}

/// The log limiters of one loop.
struct LogRateLimiters {
    var droppedConnections = LogRateLimiter.oncePerMinute
    var refusedGroups = LogRateLimiter.oncePerMinute
    /// A user may mistype more than once, and wants to see each attempt.
    var unknownPaths = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// A user may mistype a password more than once; the count shows an attack.
    var refusedAccess = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// For clients that close the connection when they are asked for a password.
    var missingCredentials = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// For web browsers, and for clients that publish.
    var unsupportedClients = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// One for each address and lock-out.
    var lockOuts = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// For clients that do not speak TLS at the TLS port, or reject the certificate.
    var failedHandshakes = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// Joined, paused and left: one message each, except in a flood of short connections.
    var activity = LogRateLimiter(burst: 500, interval: 100_000_000)
}

extension Logger {
    /// Logs the message unless the limiter suppresses it.
    func log(
        _ level: Level, _ message: Message, metadata: @autoclosure () -> Metadata, within limiter: inout LogRateLimiter,
        counting others: Int = 0, at now: MonotonicTime
    ) {
        guard let suppressed = limiter.admit(at: now, counting: others) else { return }
        var metadata = metadata()
        if suppressed > 0 { metadata["unlogged"] = "\(suppressed) more" }
        log(level: level, message, metadata: metadata)
    }
}

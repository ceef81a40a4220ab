import Logging
import Media

/// Limits how often a message is logged: a burst, then once per interval. Suppressed messages are counted, and their count is
/// logged with the next message.
struct LogRateLimiter {
    private var messages: TokenBucket
    private var suppressedCount = 0

    /// - Parameter interval: nanoseconds.
    init(burst: Int64, interval: Int64) {
        messages = TokenBucket(.init(burst: burst, every: interval))
    }

    /// For errors that one client can cause as often as it likes.
    static let oncePerMinute = LogRateLimiter(burst: 1, interval: 60_000_000_000)

    /// Whether a message may be logged now.
    ///
    /// - Parameter others: messages that were suppressed elsewhere, to be counted here.
    /// - Returns: how many messages have been suppressed since the last; `nil` if this one is suppressed too.
    mutating func admit(at now: MonotonicTime, counting others: Int = 0) -> Int? {
        suppressedCount += others
        guard messages.takeOne(at: now) else {
            suppressedCount += 1
            return nil
        }
        return takeSuppressedCount()
    }

    /// Returns and resets the number of suppressed messages.
    mutating func takeSuppressedCount() -> Int {
        defer { suppressedCount = 0 }
        return suppressedCount
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
    /// For web browsers.
    var unsupportedClients = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// Publishers try again and again: a script restarts them every second or two.
    var refusedPublishers = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    var unauthenticPackets = LogRateLimiter.oncePerMinute
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

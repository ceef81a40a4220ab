import Logging
import Media

/// Limits how often a message is logged: a burst, then once per interval. Suppressed messages are counted, and their count is
/// logged with the next message.
public struct LogRateLimiter: Sendable {
    private var messages: TokenBucket
    private var suppressedCount = 0

    /// - Parameter interval: nanoseconds.
    public init(burst: Int64, interval: Int64) {
        messages = TokenBucket(.init(burst: burst, every: interval))
    }

    /// For errors that one client can cause as often as it likes.
    public static let oncePerMinute = LogRateLimiter(burst: 1, interval: 60_000_000_000)

    /// For errors that a user may cause more than once by mistyping, and wants to see each time.
    public static let eightPerMinute = LogRateLimiter(burst: 8, interval: 60_000_000_000)
    /// For viewers and publishers that join and leave: one message each, except in a flood of short connections.
    public static let activity = LogRateLimiter(burst: 500, interval: 100_000_000)

    /// Whether a message may be logged now.
    ///
    /// - Parameter others: messages that were suppressed elsewhere, to be counted here.
    /// - Returns: how many messages have been suppressed since the last; `nil` if this one is suppressed too.
    public mutating func admit(at now: MonotonicTime, counting others: Int = 0) -> Int? {
        suppressedCount += others
        guard messages.takeOne(at: now) else {
            suppressedCount += 1
            return nil
        }
        return takeSuppressedCount()
    }

    /// Returns and resets the number of suppressed messages.
    public mutating func takeSuppressedCount() -> Int {
        defer { suppressedCount = 0 }
        return suppressedCount
    }
}

extension Logger {
    /// Logs the message unless the limiter suppresses it.
    public func log(
        _ level: Level, _ message: Message, metadata: @autoclosure () -> Metadata, within limiter: inout LogRateLimiter,
        counting others: Int = 0, at now: MonotonicTime
    ) {
        guard let suppressed = limiter.admit(at: now, counting: others) else { return }
        var metadata = metadata()
        if suppressed > 0 { metadata["unlogged"] = "\(suppressed) more" }
        log(level: level, message, metadata: metadata)
    }
}

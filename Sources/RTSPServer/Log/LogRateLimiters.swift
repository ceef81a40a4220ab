import Serving

/// The log limiters of one loop.
struct LogRateLimiters {
    var droppedConnections = LogRateLimiter.oncePerMinute
    var refusedGroups = LogRateLimiter.oncePerMinute
    /// A user may mistype more than once, and wants to see each attempt.
    var unknownPaths = LogRateLimiter.eightPerMinute
    /// A user may mistype a password more than once; the count shows an attack.
    var refusedAccess = LogRateLimiter.eightPerMinute
    /// For clients that close the connection when they are asked for a password.
    var missingCredentials = LogRateLimiter.eightPerMinute
    /// For web browsers.
    var unsupportedClients = LogRateLimiter.eightPerMinute
    /// Publishers try again and again: a script restarts them every second or two.
    var refusedPublishers = LogRateLimiter.eightPerMinute
    var unauthenticPackets = LogRateLimiter.oncePerMinute
    /// One for each address and lock-out.
    var lockOuts = LogRateLimiter.eightPerMinute
    /// For clients that do not speak TLS at the TLS port, or reject the certificate.
    var failedHandshakes = LogRateLimiter.eightPerMinute
    /// Joined, paused and left.
    var activity = LogRateLimiter.activity
}

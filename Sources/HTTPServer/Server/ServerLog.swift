import Logging
import Media
import RTSP
import Reactor
import Synchronization

/// The log of the HTTP server. A client can cause each kind of message a few times a minute; further ones are counted. Thread-safe.
final class ServerLog: Sendable {
    /// The kinds of message, each with its own limit.
    enum Kind: Hashable, CaseIterable {
        case refusedConnection
        case refusedAccess
        case lockOut
        case failedHandshake
        case refusedHost
        case failure
    }

    private struct Limit {
        var messages = TokenBucket(.init(burst: 8, every: 60_000_000_000))
        var suppressedCount = 0
    }

    private let logger: Logger
    private let limits = Mutex<[Kind: Limit]>([:])

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs a message about a client, unless there were too many of its kind.
    func log(
        _ kind: Kind, _ level: Logger.Level, _ message: Logger.Message, peer: String, reason: String? = nil
    ) {
        let now = MonotonicTime.now()
        let suppressed = limits.withLock { limits -> Int? in
            var limit = limits[kind] ?? Limit()
            defer { limits[kind] = limit }
            guard limit.messages.takeOne(at: now) else {
                limit.suppressedCount += 1
                return nil
            }
            defer { limit.suppressedCount = 0 }
            return limit.suppressedCount
        }
        guard let suppressed else { return }
        var metadata: Logger.Metadata = ["peer": "\(peer)"]
        metadata["reason"] = reason.map { "\($0)" }
        if suppressed > 0 { metadata["unlogged"] = "\(suppressed) more" }
        logger.log(level: level, message, metadata: metadata)
    }

    func debug(_ message: Logger.Message, peer: String, reason: String) {
        logger.debug(message, metadata: ["peer": "\(peer)", "reason": "\(reason)"])
    }
}

import Logging
import Media
import RTSP
import Reactor
import Synchronization

/// The log of the RTMP server. Each kind of message has a limit; further ones are counted. Thread-safe.
final class ServiceLog: Sendable {
    /// The kinds of message, each with its own limit.
    enum Kind: Hashable {
        case refusedConnection
        case refusedAccess
        case refusedPublisher
        case refusedPlayer
        case lockOut
        case failedHandshake
        case invalidInput
        case leftOut
        /// Publishers and viewers join and leave.
        case activity

        /// Messages that may come at once, and one more each so many nanoseconds: the same as for RTSP.
        fileprivate var limits: TokenBucket.Limits {
            switch self {
            case .activity: .init(burst: 500, every: 100_000_000)
            default: .init(burst: 8, every: 60_000_000_000)
            }
        }
    }

    private struct Limit {
        var messages: TokenBucket
        var suppressedCount = 0
    }

    private let logger: Logger
    private let limits = Mutex<[Kind: Limit]>([:])

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs a message about a client, unless there were too many of its kind.
    func log(
        _ kind: Kind, _ level: Logger.Level, _ message: Logger.Message, peer: SocketAddress, reason: String? = nil,
        _ more: Logger.Metadata = [:], at now: MonotonicTime
    ) {
        guard let suppressed = admit(kind, at: now) else { return }
        var metadata = more
        metadata["peer"] = "\(peer)"
        metadata["reason"] = reason.map { "\($0)" }
        if suppressed > 0 { metadata["unlogged"] = "\(suppressed) more" }
        logger.log(level: level, message, metadata: metadata)
    }

    /// How many messages have been suppressed since the last; `nil` if this one is suppressed too.
    private func admit(_ kind: Kind, at now: MonotonicTime) -> Int? {
        limits.withLock { limits -> Int? in
            var limit = limits[kind] ?? Limit(messages: TokenBucket(kind.limits))
            defer { limits[kind] = limit }
            guard limit.messages.takeOne(at: now) else {
                limit.suppressedCount += 1
                return nil
            }
            defer { limit.suppressedCount = 0 }
            return limit.suppressedCount
        }
    }

    func debug(_ message: Logger.Message, peer: SocketAddress, reason: String) {
        logger.debug(message, metadata: ["peer": "\(peer)", "reason": "\(reason)"])
    }
}

import Logging
import Media
import Reactor
import Synchronization

/// The log of a server about its clients. Each kind of message has a limit; further ones are counted. Thread-safe.
public final class ClientLog<Kind: ClientLogKind>: Sendable {
    private let logger: Logger
    private let limits = Mutex<[Kind: LogRateLimiter]>([:])

    public init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs a message about a client, unless there were too many of its kind.
    ///
    /// - Parameter peer: its address.
    public func log(
        _ kind: Kind, _ level: Logger.Level, _ message: Logger.Message, peer: some CustomStringConvertible,
        reason: String? = nil, _ more: Logger.Metadata = [:], at now: MonotonicTime = .now()
    ) {
        log(kind, level, message, reason: reason, more.merging(["peer": "\(peer)"]) { $1 }, at: now)
    }

    /// Logs a message about no client in particular, unless there were too many of its kind.
    public func log(
        _ kind: Kind, _ level: Logger.Level, _ message: Logger.Message, reason: String? = nil,
        _ more: Logger.Metadata = [:], at now: MonotonicTime = .now()
    ) {
        let suppressed = limits.withLock { $0[kind, default: kind.limiter].admit(at: now) }
        guard let suppressed else { return }
        var metadata = more
        metadata["reason"] = reason.map { "\($0)" }
        if suppressed > 0 { metadata["unlogged"] = "\(suppressed) more" }
        logger.log(level: level, message, metadata: metadata)
    }

    public func debug(_ message: Logger.Message, peer: some CustomStringConvertible, reason: String) {
        logger.debug(message, metadata: ["peer": "\(peer)", "reason": "\(reason)"])
    }
}

/// The kinds of message of a log, each with its own limit.
public protocol ClientLogKind: Hashable, Sendable {
    var limiter: LogRateLimiter { get }
}

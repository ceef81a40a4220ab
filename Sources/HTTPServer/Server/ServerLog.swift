import Logging
import Media
import RTSP
import Reactor
import Synchronization

/// The log of the HTTP server. Each kind of message has a limit; further ones are counted. Thread-safe.
final class ServerLog: Sendable {
    /// The kinds of message, each with its own limit.
    enum Kind: Hashable, CaseIterable {
        case refusedConnection
        case refusedAccess
        case lockOut
        case failedHandshake
        case refusedHost
        case failure
        /// Viewers join and leave.
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
        _ kind: Kind, _ level: Logger.Level, _ message: Logger.Message, peer: String, reason: String? = nil,
        _ more: Logger.Metadata = [:]
    ) {
        let now = MonotonicTime.now()
        let suppressed = limits.withLock { limits -> Int? in
            var limit = limits[kind] ?? Limit(messages: TokenBucket(kind.limits))
            defer { limits[kind] = limit }
            guard limit.messages.takeOne(at: now) else {
                limit.suppressedCount += 1
                return nil
            }
            defer { limit.suppressedCount = 0 }
            return limit.suppressedCount
        }
        guard let suppressed else { return }
        var metadata = more
        metadata["peer"] = "\(peer)"
        metadata["reason"] = reason.map { "\($0)" }
        if suppressed > 0 { metadata["unlogged"] = "\(suppressed) more" }
        logger.log(level: level, message, metadata: metadata)
    }

    /// Logs that a viewer joined, or why it left.
    func activity(_ message: Logger.Message, _ viewer: LiveViewer, because reason: LiveEnd? = nil) {
        let facts = viewer.facts
        activity(
            message, of: facts.path.stream.path, over: facts.transport, facts.client, because: reason,
            dropped: viewer.droppedUnits)
    }

    /// - Parameter droppedUnits: units that were left out because the viewer was too slow.
    func activity(
        _ message: Logger.Message, of path: String, over transport: String, _ client: Client,
        because reason: LiveEnd?, dropped droppedUnits: UInt64 = 0
    ) {
        let name = client.userAgent
        var metadata: Logger.Metadata = [
            "path": "\(path)", "transport": "\(transport)", "client": "\(name.isEmpty ? "unnamed" : name)",
        ]
        if droppedUnits > 0, reason != nil { metadata["dropped"] = "\(droppedUnits) units" }
        log(.activity, .info, message, peer: client.peer, reason: reason?.text, metadata)
    }

    func debug(_ message: Logger.Message, peer: String, reason: String) {
        logger.debug(message, metadata: ["peer": "\(peer)", "reason": "\(reason)"])
    }
}

import Logging
import Serving

/// The log of the HTTP server.
typealias ServerLog = ClientLog<ServerLogKind>

/// The kinds of message.
enum ServerLogKind: ClientLogKind {
    case refusedConnection
    case refusedAccess
    case lockOut
    case failedHandshake
    case refusedHost
    case failure
    /// Viewers join and leave.
    case activity

    var limiter: LogRateLimiter { self == .activity ? .activity : .eightPerMinute }
}

extension ServerLog {
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
}

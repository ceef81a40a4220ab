import Serving

/// The log of the WebRTC server.
typealias ServiceLog = ClientLog<ServiceLogKind>

/// The kinds of message.
enum ServiceLogKind: ClientLogKind {
    case refusedConnection
    case refusedPublisher
    case refusedViewer
    case failedSession
    case leftOut
    /// Publishers and viewers join and leave.
    case activity

    var limiter: LogRateLimiter { self == .activity ? .activity : .eightPerMinute }
}

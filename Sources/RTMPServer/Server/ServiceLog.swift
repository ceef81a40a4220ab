import Serving

/// The log of the RTMP server.
typealias ServiceLog = ClientLog<ServiceLogKind>

/// The kinds of message.
enum ServiceLogKind: ClientLogKind {
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

    var limiter: LogRateLimiter { self == .activity ? .activity : .eightPerMinute }
}

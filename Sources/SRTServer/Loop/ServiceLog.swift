import Serving

/// The log of SRT.
typealias ServiceLog = ClientLog<ServiceLogKind>

/// The kinds of message.
enum ServiceLogKind: ClientLogKind {
    case refusedConnection
    case refusedAccess
    case refusedPublisher
    case refusedViewer
    case lockOut
    case failedHandshake
    case leftOut
    /// What libsrt itself reports.
    case library
    /// SRT has ended for a reason of its own.
    case failure
    /// Publishers and viewers join and leave.
    case activity

    var limiter: LogRateLimiter { self == .activity ? .activity : .eightPerMinute }
}

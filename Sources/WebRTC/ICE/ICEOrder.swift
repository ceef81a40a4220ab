/// What an ``ICEAgent`` wants to be done.
public enum ICEOrder<Path: Hashable & Sendable>: Hashable, Sendable {
    /// Send an answer or a check.
    case send([UInt8], Path)
    /// The path belongs to the session from now on.
    case adopt(Path)
    /// DTLS and media go over this path from now on.
    case select(Path)
    /// Send nothing until a path is selected: the selected one is gone, and the peer has answered no check on another.
    case suspend
    /// The path no longer belongs to the session.
    case forget(Path)
    /// The session has ended.
    case expire(ICEExpiry)
}

/// Why a session has ended.
public enum ICEExpiry: Hashable, Sendable, CustomStringConvertible {
    /// No check has come.
    case noCheck(seconds: Int64)
    /// The peer no longer checks any path, so it no longer agrees to receive (RFC 7675).
    case noConsent(seconds: Int64)

    public var description: String {
        switch self {
        case .noCheck(let seconds): "no connectivity check has arrived within \(seconds) s"
        case .noConsent(let seconds): "no connectivity check has arrived for \(seconds) s"
        }
    }
}

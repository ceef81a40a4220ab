import Streams

/// Why a live body ends.
enum LiveEnd: Hashable, Sendable {
    /// The client has what it asked for.
    case complete
    /// The client has closed the connection.
    case clientLeft
    case serverStops
    /// An operator has disconnected the viewer.
    case disconnected
    /// The access policy no longer permits it.
    case notPermitted
    /// The path is no longer served, or its input has ended for good.
    case streamRemoved
    /// None of the chosen tracks can be sent as MP4.
    case noTracks
    /// The client cannot continue with the stream's new tracks.
    case tracksChanged
    /// The client has taken nothing for too long.
    case stalled
    /// The client has asked for nothing for too long.
    case silent
    /// The source gives no media: why, and after how many seconds the client may try again.
    case noInput(reason: String, retrySeconds: Int)

    /// For users and the log.
    var text: String {
        switch self {
        case .complete: "complete"
        case .clientLeft: "the client left"
        case .serverStops: "the server is stopping"
        case .disconnected: "an operator has disconnected the viewer"
        case .notPermitted: "the client may no longer watch"
        case .streamRemoved: "the stream was removed"
        case .noTracks: "none of the chosen tracks can be sent as MP4"
        case .tracksChanged: "the stream has other tracks now"
        case .stalled: "the client took nothing for too long"
        case .silent: "the client asked for nothing for too long"
        case .noInput(let reason, _): reason
        }
    }

    /// For metrics.
    var departure: ViewerCounts.Departure {
        switch self {
        case .complete: .left
        case .clientLeft, .serverStops: .connectionClosed
        case .disconnected: .disconnected
        case .notPermitted: .permissionLost
        case .streamRemoved, .noInput: .streamEnded
        case .noTracks, .tracksChanged: .changed
        case .stalled: .stalled
        case .silent: .silent
        }
    }

    /// The response of a body that has not begun.
    var problem: Problem {
        switch self {
        case .streamRemoved: Problem(.notFound, text)
        case .noTracks: Problem(.notAcceptable, text)
        case .notPermitted, .disconnected: Problem(.forbidden, text)
        case .noInput(_, let seconds): Problem(.serviceUnavailable, text, retryAfter: seconds)
        case .complete, .clientLeft, .serverStops, .tracksChanged, .stalled, .silent:
            Problem(.serviceUnavailable, text, retryAfter: 1)
        }
    }
}

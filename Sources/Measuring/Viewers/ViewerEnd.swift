import RTSPClient

/// Why a viewer ended.
enum ViewerEnd: CustomStringConvertible {
    /// The transport is the one that the user may choose.
    case session(ClientSessionEnd, SessionTransport?)
    case http(HTTPEnd)

    /// Whether the bench ended it.
    var isWanted: Bool {
        switch self {
        case .session(let end, _): end.isWanted
        case .http(let end): end == .finished
        }
    }

    var description: String {
        switch self {
        case .session(let end, _): end.description
        case .http(let end): end.description
        }
    }

    /// The description with advice for the user.
    var advice: String {
        switch self {
        case .session(let end, let transport): end.description(over: transport)
        case .http(let end): end.description
        }
    }
}

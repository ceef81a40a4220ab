import Connecting
import RTMPDelivery

/// A stream that is pulled over RTMP. ``RTMPPullLoops`` carry it out.
public typealias RTMPPull = Pull<RTMPSessionPlan, RTMPPullEnd>

/// Why a pull over RTMP has ended.
public enum RTMPPullEnd: Sendable, CustomStringConvertible {
    case session(SessionFailure)
    case reception(MessageReception.End)

    public var description: String {
        switch self {
        case .session(let failure): failure.description
        case .reception(let end): end.description
        }
    }
}

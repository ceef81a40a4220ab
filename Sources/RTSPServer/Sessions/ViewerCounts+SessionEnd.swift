import RTSP
import Streams

extension ViewerCounts.Departure {
    init(_ end: SessionEnd) {
        switch end {
        case .tornDown: self = .left
        case .timedOut: self = .silent
        case .connectionClosed: self = .connectionClosed
        case .withdrawn(let withdrawal):
            switch withdrawal {
            case .groups: self = .changed
            case .permissionLost: self = .permissionLost
            case .disconnected: self = .disconnected
            // The last four end publishers only.
            case .stream, .end, .silence, .goodbye, .takenOver, .unusable: self = .streamEnded
            }
        }
    }
}

import Connecting
import RTSP

extension SessionFailure {
    /// An RTSP session that has ended.
    public init(_ end: ClientSessionEnd) {
        switch end {
        case .connection(let failure): self.init(failure)
        case .closed(.passwordRequired): self.init(end.description, .passwordRequired)
        case .closed(.wrongPassword): self.init(end.description, .wrongPassword)
        case .closed(.refused(_, let status, _, let retrySeconds)):
            let kind: Kind =
                switch status {
                case .unauthorized, .forbidden, .notFound: .refused
                case .unsupportedTransport: .unsupportedTransport
                default: .other
                }
            self.init(end.description, kind, retrySeconds: retrySeconds)
        default: self.init(end.description)
        }
    }

    /// The server asks for packets at an address that this host cannot reach.
    static let unreachablePorts = Self("the server named no usable UDP ports; use transport: tcp")
}

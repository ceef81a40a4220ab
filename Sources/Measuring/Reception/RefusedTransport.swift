import RTSPClient

extension ClientSessionEnd {
    /// The description, with advice if the server refused the transport (461 Unsupported Transport).
    ///
    /// - Parameter transport: the one that the user may choose; `nil` without a choice.
    func description(over transport: SessionTransport?) -> String {
        guard let transport, case .closed(.refused(_, let status, _, _)) = self, status.code == 461 else {
            return description
        }
        return "\(description); try --transport \(transport == .tcp ? "udp" : "tcp")"
    }
}

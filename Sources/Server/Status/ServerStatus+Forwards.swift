import Connecting
import Media

extension ServerStatus {
    /// A server to which a stream is published.
    public struct ForwardLine: Hashable, Sendable, Codable {
        /// Without user and password.
        public let url: String
        /// `TCP`, `UDP`, `TLS`, `RTMP`, `RTMPS` or `SRT`.
        public let transport: String
        public let condition: Condition
        /// Bytes of payload that were sent since the forward was configured.
        public let bytes: UInt64
        public let packets: UInt64
        /// Frames that were skipped because the server did not keep up.
        public let droppedFrames: UInt64
        /// How many sessions have ended or failed, after each of which the server was tried again.
        public let reconnects: Int
        /// Why the last of them has ended.
        public let lastReason: String?
        /// Of its present connection over SRT; `nil` if there is none.
        public let srt: SRTLine?
    }
}

extension ServerStatus.ForwardLine {
    init(_ forward: any PathForward, at now: ClockReading) {
        let status = forward.status
        url = forward.label
        transport = forward.transport
        condition = ServerStatus.Condition(
            status.state.rawValue, since: status.since, because: status.state == .failing ? status.lastReason : nil,
            nextTry: status.nextTry, at: now)
        bytes = status.bytes
        packets = status.packets
        droppedFrames = status.droppedUnits
        reconnects = status.reconnects
        lastReason = status.lastReason
        srt = forward.srt.map(ServerStatus.SRTLine.init(sending:))
    }
}

extension ServerStatus.StreamLine {
    /// The forwards with their states, for users; empty without forwards.
    var forwardsText: String {
        guard !forwards.isEmpty else { return "" }
        let header = [["forward", "transport", "state", "packets", "MB", "dropped", "reconnects"]]
        let rows = forwards.map { forward in
            [
                printable(forward.url), forward.transport, forward.condition.stateText, "\(forward.packets)",
                ServerStatus.number(Double(forward.bytes) / 1e6), "\(forward.droppedFrames)", "\(forward.reconnects)",
            ]
        }
        let connections = forwards.compactMap { forward in
            forward.srt.map { "  \(printable(forward.url)): \($0.text)\n" }
        }
        let reasons = forwards.compactMap { forward -> String? in
            if let failure = forward.condition.failureText { return "  \(printable(forward.url)): \(failure)\n" }
            return forward.lastReason.map { "  \(printable(forward.url)): the last end: \(printable($0))\n" }
        }
        return textTable(header + rows) + connections.joined() + reasons.joined()
    }
}

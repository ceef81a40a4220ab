import Streams
import WebRTC

/// Why the last sessions of a loop have ended, for clients that ask for them later.
struct EndedSessions {
    /// As many as a page full of players has.
    private static let capacity = 64

    private var ends: [(name: SessionName, end: End)] = []

    struct End: Hashable, Sendable {
        let departure: ViewerCounts.Departure
        let reason: String
    }

    mutating func note(_ name: SessionName, _ departure: ViewerCounts.Departure, because reason: String) {
        if ends.count == Self.capacity { ends.removeFirst() }
        ends.append((name, End(departure: departure, reason: reason)))
    }

    func end(of name: SessionName) -> End? { ends.last { $0.name == name }?.end }
}

extension SignallingResponse {
    /// The answer about a session that there is not. Its status tells a player whether to open another one: 403 if the client was
    /// disconnected, 410 if there is no more to send, 404 if the session was lost or never was.
    static func noSession(_ end: EndedSessions.End?) -> Self {
        guard let end else { return .problem(404, "there is no such session") }
        return .problem(end.status, "the session has ended: \(end.reason)")
    }
}

extension EndedSessions.End {
    fileprivate var status: Int {
        switch departure {
        case .disconnected, .permissionLost: 403
        case .changed, .stalled, .streamEnded: 410
        case .left, .connectionClosed, .silent: 404
        }
    }
}

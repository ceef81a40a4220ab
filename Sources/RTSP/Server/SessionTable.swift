import Media

/// The sessions of a connection. They end with the connection.
struct SessionTable: Sendable {
    let maximumCount: Int
    /// The time without activity after which a session ends: 1.25 × the timeout in SETUP's response, because VLC sends its
    /// keepalives close to the timeout.
    let maximumSilenceMilliseconds: Int64
    private(set) var sessions: [ServerSession] = []

    init(maximumCount: Int, timeoutSeconds: Int) {
        self.maximumCount = maximumCount
        maximumSilenceMilliseconds = Int64(timeoutSeconds) &* 1250
    }

    var isEmpty: Bool { sessions.isEmpty }

    /// The session with this ID.
    subscript(id: SessionID) -> ServerSession? {
        get { sessions.first { $0.id == id } }
        set {
            guard let index = sessions.firstIndex(where: { $0.id == id }) else {
                if let newValue { sessions.append(newValue) }
                return
            }
            if let newValue { sessions[index] = newValue } else { sessions.remove(at: index) }
        }
    }

    /// - Throws: 453 if the connection has the maximum number of sessions.
    func admitOneMore() throws(Refusal) {
        guard sessions.count < maximumCount else { throw Refusal(.notEnoughBandwidth, reason: "Too Many Sessions") }
    }

    mutating func noteActivity(of id: SessionID, at now: MonotonicTime) {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        sessions[index].lastActivity = max(sessions[index].lastActivity, now)
    }

    /// The earliest timeout of a session except `exempt`, which has a pending request.
    func nextDeadline(except exempt: SessionID?) -> MonotonicTime? {
        sessions.lazy.filter { $0.id != exempt }.map(deadline).min()
    }

    /// The sessions that have timed out.
    func overdue(at now: MonotonicTime, except exempt: SessionID?) -> [SessionID] {
        sessions.filter { $0.id != exempt && deadline($0) <= now }.map(\.id)
    }

    private func deadline(_ session: ServerSession) -> MonotonicTime {
        session.lastActivity.advanced(byMilliseconds: maximumSilenceMilliseconds)
    }
}

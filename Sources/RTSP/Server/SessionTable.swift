import Media

/// The sessions of a connection, which live and die with it.
struct SessionTable: Sendable {
    let maximumCount: Int
    /// After so long a silence a session is gone: 1.25 × the timeout that SETUP named, for VLC sends its keepalive
    /// close to the limit.
    let maximumSilenceMilliseconds: Int64
    private(set) var sessions: [ServerSession] = []

    init(maximumCount: Int, timeoutSeconds: Int) {
        self.maximumCount = maximumCount
        maximumSilenceMilliseconds = Int64(timeoutSeconds) &* 1250
    }

    var isEmpty: Bool { sessions.isEmpty }

    /// The session of that name.
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

    /// - Throws: 453 where a connection has all the sessions it may have.
    func admitOneMore() throws(Refusal) {
        guard sessions.count < maximumCount else { throw Refusal(.notEnoughBandwidth, reason: "Too Many Sessions") }
    }

    mutating func heard(_ id: SessionID, at now: MonotonicTime) {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        sessions[index].lastActivity = max(sessions[index].lastActivity, now)
    }

    /// When the first session but `exempt`, whose request is being answered, has been silent too long.
    func nextDeadline(except exempt: SessionID?) -> MonotonicTime? {
        sessions.lazy.filter { $0.id != exempt }.map(deadline).min()
    }

    /// Sessions that have been silent too long.
    func overdue(at now: MonotonicTime, except exempt: SessionID?) -> [SessionID] {
        sessions.filter { $0.id != exempt && deadline($0) <= now }.map(\.id)
    }

    private func deadline(_ session: ServerSession) -> MonotonicTime {
        session.lastActivity.advanced(byMilliseconds: maximumSilenceMilliseconds)
    }
}

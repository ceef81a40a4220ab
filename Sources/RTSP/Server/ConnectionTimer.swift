import Media

/// When a connection has been slow or idle for too long.
struct ConnectionTimer: Sendable {
    private let messageSeconds: Int
    private let idleSeconds: Int
    /// When the message that is not complete yet began.
    private var messageBegan: MonotonicTime?
    /// When the last request came or the last session ended.
    private var lastUse: MonotonicTime

    init(messageSeconds: Int, idleSeconds: Int, at now: MonotonicTime) {
        self.messageSeconds = messageSeconds
        self.idleSeconds = idleSeconds
        lastUse = now
    }

    mutating func requestCame(at now: MonotonicTime) {
        lastUse = now
    }

    mutating func sessionEnded(at now: MonotonicTime) {
        lastUse = now
    }

    mutating func messageEnded() {
        messageBegan = nil
    }

    /// All bytes were looked at, and they end inside a message, or they do not.
    mutating func messageStands(isInside: Bool, at now: MonotonicTime) {
        messageBegan = isInside ? messageBegan ?? now : nil
    }

    /// - Parameter mayIdle: whether idleness counts: it does not while there is a session or a request to answer.
    func nextDeadline(mayIdle: Bool) -> MonotonicTime? {
        [messageDeadline, mayIdle ? idleDeadline : nil].compactMap(\.self).min()
    }

    func overdue(at now: MonotonicTime, mayIdle: Bool) -> CloseReason? {
        if let messageDeadline, messageDeadline <= now { return .messageTooSlow(seconds: messageSeconds) }
        return mayIdle && idleDeadline <= now ? .idle(seconds: idleSeconds) : nil
    }

    private var messageDeadline: MonotonicTime? {
        messageBegan?.advanced(byMilliseconds: Int64(messageSeconds) &* 1000)
    }

    private var idleDeadline: MonotonicTime { lastUse.advanced(byMilliseconds: Int64(idleSeconds) &* 1000) }
}

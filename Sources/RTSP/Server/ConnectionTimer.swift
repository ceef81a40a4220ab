import Media

/// Closes a connection that is too slow or idle for too long.
struct ConnectionTimer: Sendable {
    private let messageSeconds: Int
    private let idleSeconds: Int
    /// The start of the incomplete message.
    private var messageBegan: MonotonicTime?
    /// The time of the last request, or of the end of the last session.
    private var lastUse: MonotonicTime

    init(messageSeconds: Int, idleSeconds: Int, at now: MonotonicTime) {
        self.messageSeconds = messageSeconds
        self.idleSeconds = idleSeconds
        lastUse = now
    }

    mutating func receivedRequest(at now: MonotonicTime) {
        lastUse = now
    }

    mutating func sessionEnded(at now: MonotonicTime) {
        lastUse = now
    }

    mutating func messageCompleted() {
        messageBegan = nil
    }

    /// All received bytes were parsed; `isInside` tells whether they end inside a message.
    mutating func updateMessageStart(isInside: Bool, at now: MonotonicTime) {
        messageBegan = isInside ? messageBegan ?? now : nil
    }

    /// - Parameter mayIdle: whether the idle timeout applies: not while there is a session or a pending request.
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

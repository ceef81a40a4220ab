import Media
import RTSP
import Reactor

/// Somebody else who decides what a client may do. From any thread.
public protocol AccessAuthority: Sendable {
    /// Gives an answer, once, on any thread, and before ``ServerConnection/Configuration/decisionSeconds`` have passed: nobody waits
    /// for it longer.
    ///
    /// - Parameter connection: names the client's connection, the same for all that it asks.
    func decide(
        _ question: AccessQuestion, for connection: String, _ answer: @escaping @Sendable (AccessDecision) -> Void)
}

extension ServerLoop {
    /// Has somebody else decide about a request, which waits meanwhile; its connection may be gone by then.
    func decide(_ id: RequestID, _ question: AccessQuestion, on connection: Connection, at now: MonotonicTime) {
        guard let authority = admission.authority else {
            return connection.machine.decided(id, .unavailable, at: now)
        }
        let token = connection.token
        authority.decide(question, for: connection.name) { decision in
            Task { await self.decided(id, decision, token) }
        }
    }

    private func decided(_ id: RequestID, _ decision: AccessDecision, _ token: Token) {
        guard let connection = connections[token] else { return }
        let now = loop.now
        connection.machine.decided(id, decision, at: now)
        perform(connection, at: now)
        settle(connection, at: now)
    }
}

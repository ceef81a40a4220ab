import Media
import RTSP
import Reactor
import Synchronization

/// Somebody else who decides what a client may do. From any thread.
public protocol ExternalAuthoriser: Sendable {
    /// Gives an answer, once, on any thread, and before ``ServerConnection/Configuration/decisionSeconds`` have passed: nobody waits
    /// for it longer.
    ///
    /// - Parameter connection: names the client's connection, the same for all that it asks.
    func decide(
        _ question: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void)
}

extension ServerLoop {
    /// Has somebody else decide about a request, which waits meanwhile; its connection may be gone by then.
    func decide(
        _ id: RequestID, _ question: ExternalAuthorisationRequest, on connection: Connection, at now: MonotonicTime
    ) {
        guard let authoriser = admission.authoriser else {
            return connection.machine.decided(id, .unavailable, at: now)
        }
        let (token, loop, decisions) = (connection.token, loop, decisions)
        authoriser.decide(question, for: connection.name) { decision in
            decisions.put(Decisions.Decided(request: id, token: token, decision: decision))
            loop.wake()
        }
    }

    /// Goes on with the requests that were decided about since the last turn.
    func takeDecisions(at now: MonotonicTime) {
        for decided in decisions.takeAll() {
            guard let connection = connections[decided.token] else { continue }
            connection.machine.decided(decided.request, decided.decision, at: now)
            perform(connection, at: now)
            settle(connection, at: now)
        }
    }
}

/// How decisions reach the loop whose client waits for them: without a task, because tasks share few threads. From any thread.
final class Decisions: Sendable {
    struct Decided: Sendable {
        let request: RequestID
        /// The connection's.
        let token: Token
        let decision: AccessDecision
    }

    private let waiting = Mutex<[Decided]>([])

    func put(_ decided: Decided) {
        waiting.withLock { $0.append(decided) }
    }

    func takeAll() -> [Decided] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }
}

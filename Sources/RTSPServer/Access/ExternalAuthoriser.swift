import Media
import RTSP
import Reactor
import Synchronization

/// Decides outside of the server what a client may do. Thread-safe.
public protocol ExternalAuthoriser: Sendable {
    /// Calls `answer` once, on any thread, before ``ServerConnection/Configuration/decisionSeconds`` have passed. A later answer
    /// has no effect.
    ///
    /// - Parameter connection: names the client's connection, the same for all its requests.
    func decide(
        _ request: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void)
}

extension ServerLoop {
    /// Asks the external authoriser to decide a request, which waits meanwhile. Its connection may be gone by then.
    func decide(
        _ id: RequestID, _ request: ExternalAuthorisationRequest, on connection: Connection, at now: MonotonicTime
    ) {
        guard let authoriser = admission.authoriser else {
            return connection.machine.decided(id, .unavailable, at: now)
        }
        let (token, loop, decisions) = (connection.token, loop, decisions)
        authoriser.decide(request, for: connection.name) { decision in
            decisions.put(Decisions.Decided(request: id, token: token, decision: decision))
            loop.wake()
        }
    }

    /// Continues requests that were decided since the last turn.
    func takeDecisions(at now: MonotonicTime) {
        for decided in decisions.takeAll() {
            guard let connection = connections[decided.token] else { continue }
            connection.machine.decided(decided.request, decided.decision, at: now)
            perform(connection, at: now)
            updateSocket(connection, at: now)
        }
    }
}

/// Carries decisions to the loop that waits for them. It uses no task, because tasks share few threads. Thread-safe.
final class Decisions: Sendable {
    struct Decided: Sendable {
        let request: RequestID
        /// The token of the connection.
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

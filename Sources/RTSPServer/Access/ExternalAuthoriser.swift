import RTSP

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

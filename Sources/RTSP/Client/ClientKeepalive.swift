import Media

/// When and how a client tells the server that its session is in use. A pure value.
struct ClientKeepalive: Sendable {
    private(set) var method = Method.options
    /// When the next one is due; `distantFuture` without a session.
    private(set) var due = MonotonicTime.distantFuture

    /// The server has answered OPTIONS.
    mutating func choose(by response: Response) {
        if response.headers.list(of: .public).contains(Method.getParameter.rawValue) { method = .getParameter }
    }

    /// Schedules the next one after half the session's timeout, so that one may be late in a stalled connection.
    mutating func schedule(for session: SessionHeader?, at now: MonotonicTime) {
        let seconds = min(max(session?.timeoutSeconds ?? 60, 2), 3_600)
        due = now.advanced(byMilliseconds: Int64(seconds) * 500)
    }

    mutating func stop() { due = .distantFuture }

    /// The server has answered a keepalive.
    ///
    /// - Returns: whether the server still has the session.
    mutating func received(_ response: Response) -> Bool {
        switch response.status {
        case .sessionNotFound: return false
        case .methodNotAllowed, .notImplemented, .parameterNotUnderstood: method = .options
        default: break
        }
        return true
    }
}

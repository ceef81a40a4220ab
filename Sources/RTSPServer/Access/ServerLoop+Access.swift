import Logging
import Media
import RTSP

/// Enforces access policies on sessions, and logs refusals.
extension ServerLoop {
    /// Checks all connections against a new access policy.
    func reviewSessions() {
        guard !isStopping else { return }
        let (now, policy) = (loop.now, admission.policy)
        for connection in connections.values {
            let paths = connection.sessions.mapValues(\.entry.stream.path)
            connection.machine.accessChanged(to: policy, paths: paths, at: now)
            perform(connection, at: now)
            updateSocket(connection, at: now)
        }
    }

    /// Logs a refusal, so that a user can find out why a URL does not work.
    ///
    /// Clients send a request without credentials first and then answer the challenge, and a lock-out has been logged already.
    /// Both are logged only at debug level. `logMissingCredentials` reports clients that do not answer the challenge.
    func logRefusal(_ failure: AccessFailure, of connection: Connection, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(failure)"]
        connection.isMissingCredentials = failure == .noCredentials(.tracks)
        switch failure {
        case .noCredentials(.tracks), .staleNonce, .lockedOut:
            return logger.debug("request refused", metadata: metadata)
        case .noCredentials(.transportStream):
            // VLC as Debian builds it does not answer challenges: it sends credentials at once or never.
            metadata["paste"] = "rtsp://USER:PASSWORD@\(connection.local)/PATH, both in lower case"
        case .deniedExternally(countsAsGuess: false) where connection.machine.security == .tls:
            return logger.debug("request refused", metadata: metadata)
        case .address, .wrongCredentials, .unusableCredentials, .credentialsInURL, .notPermitted, .deniedExternally,
            .noHashFunctions:
            break
        }
        guard failure != connection.lastRefusal else { return }
        connection.lastRefusal = failure
        logger.log(.notice, "refused", metadata: metadata, within: &logs.refusedAccess, at: now)
    }

    /// Logs that a client has closed its connection without answering the challenge: probably its URL has no password.
    func logMissingCredentials(of connection: Connection, at now: MonotonicTime) {
        guard connection.isMissingCredentials else { return }
        logger.log(
            .notice, "refused",
            metadata: [
                "peer": "\(connection.peer)",
                "reason": "the client sent no user and password; use the URL that the server shows at its start",
            ], within: &logs.missingCredentials, at: now)
    }
}

import Logging
import Media
import RTSP

/// Who is not let by, and who is not any more.
extension ServerLoop {
    /// Who may do what has changed: judges anew who is there.
    func reviewSessions() {
        guard !isStopping else { return }
        let (now, policy) = (loop.now, admission.policy)
        for connection in connections.values {
            let paths = connection.sessions.mapValues(\.entry.stream.path)
            connection.machine.accessChanged(to: policy, paths: paths, at: now)
            perform(connection, at: now)
            settle(connection, at: now)
        }
    }

    /// Says in the log who was not let by, so that whoever pasted a URL finds out why.
    ///
    /// Clients ask without credentials first and answer the challenge then: that is not told, and of who is locked out no more.
    func logRefusal(_ failure: AccessFailure, of connection: Connection, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(failure)"]
        switch failure {
        case .noCredentials(.tracks), .staleNonce, .lockedOut:
            return logger.debug("not let by", metadata: metadata)
        case .noCredentials(.transportStream):
            // VLC as Debian builds it knows no challenge: what it does not send at once, it never sends.
            metadata["paste"] = "rtsp://USER:PASSWORD@\(connection.local)/PATH, both in lower case"
        case .deniedExternally(isGuess: false) where connection.machine.security == .tls:
            return logger.debug("not let by", metadata: metadata)
        case .address, .wrongCredentials, .unusableCredentials, .credentialsInURL, .notPermitted, .deniedExternally,
            .noHashFunctions:
            break
        }
        guard failure != connection.lastRefusal else { return }
        connection.lastRefusal = failure
        logger.log(.notice, "refused", metadata: metadata, within: &logs.refusedAccess, at: now)
    }
}

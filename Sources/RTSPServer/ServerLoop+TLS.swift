import Logging
import Media
import RTSP
import TLS

/// Connections through TLS.
extension ServerLoop {
    /// What protects an accepted connection; `nil` where nothing does.
    func protection(of accepted: Inbox.Accepted, at now: MonotonicTime) throws(IdentityFailure) -> TLSConnection? {
        guard accepted.security == .tls else { return nil }
        // Whoever came for TLS is not to be served without it.
        guard let identity = identity.value, let options = options.encryption.tls else { throw .impossible }
        return try TLSConnection(of: identity, limits: options.handshake, at: now)
    }

    /// Ends a connection whose TLS cannot go on: OpenSSL tells the client why, if that understands it, and the log everyone else.
    func end(_ connection: Connection, because failure: TLSFailure, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(failure)"]
        var message: Logger.Message = "connection refused"
        switch failure {
        case .plainText: metadata["paste"] = "rtsps://\(connection.local)/PATH"
        case .notTLS, .handshakeTooSlow, .handshakeTooLong, .handshake: break
        case .connection: message = "connection ended"
        }
        logger.log(.notice, message, metadata: metadata, within: &logs.failedHandshakes, at: now)
        connection.machine.securityFailed("\(failure)")
        perform(connection, at: now)
    }

    /// Says in the log why a connection closes, if only at debug level, but to whoever may have meant `rtsps://` and came to the
    /// other port: clients just say that something failed.
    func logClose(of connection: Connection, because reason: CloseReason, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(reason)"]
        guard connection.machine.security == .clear, case .malformed(let error) = reason, error.fault == .notText,
            error.position == 0
        else { return logger.debug("connection closes", metadata: metadata) }
        metadata["tls"] = options.encryption.tls.map { "at port \($0.port)" } ?? "not served: tls.encryption is no"
        logger.log(.notice, "connection refused", metadata: metadata, within: &logs.failedHandshakes, at: now)
    }
}

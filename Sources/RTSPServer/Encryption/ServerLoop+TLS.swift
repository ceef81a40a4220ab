import Logging
import Media
import RTSP
import TLS

/// Connections through TLS.
extension ServerLoop {
    /// The TLS connection for an accepted connection; `nil` without TLS.
    func protection(of accepted: Inbox.Accepted, at now: MonotonicTime) throws(IdentityFailure) -> TLSConnection? {
        guard accepted.security == .tls else { return nil }
        // A connection to the TLS port is never served without TLS.
        guard let identity = identity.value, let options = options.encryption.tls else { throw .impossible }
        return try TLSConnection(of: identity, limits: options.handshake, at: now)
    }

    /// Ends a connection after a TLS failure. OpenSSL has sent an alert to the client; this logs the reason.
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

    /// Logs why a connection closes: at debug level, except if a web browser uses the RTSP port, or if the client probably meant
    /// `rtsps://` and used the wrong port. Clients only report that something failed.
    func logClose(of connection: Connection, because reason: CloseReason, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(reason)"]
        if reason == .peerSpokeHTTP {
            return logger.log(
                .notice, "connection refused", metadata: metadata, within: &logs.unsupportedClients, at: now)
        }
        guard connection.machine.security == .clear, case .malformed(let error) = reason, error.fault == .notText,
            error.position == 0
        else { return logger.debug("connection closed", metadata: metadata) }
        metadata["tls"] =
            options.encryption.tls.map { "use rtsps:// at port \($0.port)" } ?? "not served: tls.encryption is no"
        logger.log(.notice, "connection refused", metadata: metadata, within: &logs.failedHandshakes, at: now)
    }
}

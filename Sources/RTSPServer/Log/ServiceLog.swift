import Delivery
import Logging
import Media
import RTSP
import Reactor
import Serving
import TLS

/// The log messages of one loop's RTSP service, each within its limit. Confined to the loop.
final class ServiceLog {
    private let logger: Logger
    private let tls: TLSOptions?
    private var limits = LogRateLimiters()

    init(_ logger: Logger, _ encryption: Encryption) {
        self.logger = logger
        tls = encryption.tls
    }

    // MARK: Connections

    func connectionDropped(from peer: SocketAddress, _ error: any Error, at now: MonotonicTime) {
        logger.log(
            .warning, "connection dropped", metadata: ["peer": "\(peer)", "reason": "\(error)"],
            within: &limits.droppedConnections, at: now)
    }

    func connectionLost(_ connection: Connection, _ error: SystemError) {
        logger.debug("connection lost", metadata: ["peer": "\(connection.peer)", "reason": "\(error)"])
    }

    /// Logs a TLS failure. OpenSSL has sent an alert to the client; this logs the reason.
    func handshakeFailed(_ failure: TLSFailure, of connection: Connection, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(failure)"]
        var message: Logger.Message = "connection refused"
        switch failure {
        case .plainText: metadata["paste"] = "rtsps://\(connection.local)/PATH"
        case .notTLS, .handshakeTooSlow, .handshakeTooLong, .handshake, .untrusted: break
        case .connection: message = "connection ended"
        }
        logger.log(.notice, message, metadata: metadata, within: &limits.failedHandshakes, at: now)
    }

    /// Logs why a connection closes: at debug level, except if a web browser uses the RTSP port, or if the client probably meant
    /// `rtsps://` and used the wrong port. Clients only report that something failed.
    func connectionCloses(_ connection: Connection, because reason: CloseReason, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(reason)"]
        if reason == .peerSpokeHTTP {
            return logger.log(
                .notice, "connection refused", metadata: metadata, within: &limits.unsupportedClients, at: now)
        }
        guard connection.machine.security == .clear, case .malformed(let error) = reason, error.fault == .notText,
            error.position == 0
        else { return logger.debug("connection closed", metadata: metadata) }
        metadata["tls"] = tls.map { "use rtsps:// at port \($0.port)" } ?? "not served: tls.encryption is no"
        logger.log(.notice, "connection refused", metadata: metadata, within: &limits.failedHandshakes, at: now)
    }

    // MARK: Access

    /// Logs a refusal, so that a user can find out why a URL does not work.
    ///
    /// Clients send a request without credentials first and then answer the challenge, and a lock-out has been logged already.
    /// Both are logged only at debug level. `missingCredentials` reports clients that do not answer the challenge.
    func accessRefused(_ failure: AccessFailure, to connection: Connection, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["peer": "\(connection.peer)", "reason": "\(failure)"]
        connection.log.isMissingCredentials = failure == .noCredentials(.tracks)
        switch failure {
        case .noCredentials(.tracks), .staleNonce, .lockedOut:
            return logger.debug("request refused", metadata: metadata)
        case .noCredentials(.transportStream):
            // VLC as Debian builds it does not answer challenges: it sends credentials at once or never.
            metadata["paste"] = "rtsp://USER:PASSWORD@\(connection.local)/PATH, both in lower case"
        case .deniedExternally(countsAsGuess: false) where connection.machine.security == .tls:
            return logger.debug("request refused", metadata: metadata)
        case .address, .wrongCredentials, .passwordIsNotStored, .unusableCredentials, .credentialsInURL, .notPermitted,
            .deniedExternally,
            .invalidToken, .noHashFunctions:
            break
        }
        guard failure != connection.log.lastRefusal else { return }
        connection.log.lastRefusal = failure
        logger.log(.notice, "refused", metadata: metadata, within: &limits.refusedAccess, at: now)
    }

    /// Logs that a client has closed its connection without answering the challenge: probably its URL has no password.
    func missingCredentials(of connection: Connection, at now: MonotonicTime) {
        logger.log(
            .notice, "refused",
            metadata: [
                "peer": "\(connection.peer)",
                "reason": "the client sent no user and password; use the URL that the server shows at its start",
            ], within: &limits.missingCredentials, at: now)
    }

    func addressLockedOut(_ connection: Connection, seconds: Int, at now: MonotonicTime) {
        logger.log(
            .warning, "address locked out: too many wrong passwords",
            metadata: ["peer": "\(connection.peer.host)", "seconds": "\(seconds)"], within: &limits.lockOuts, at: now)
    }

    // MARK: Requests

    /// - Parameter nearest: the path of all that is most like `path`.
    func unknownPath(_ path: String, nearest: String?, of connection: Connection, at now: MonotonicTime) {
        logger.log(
            .info, "no such path",
            metadata: ["path": "\(path)", "nearest": "\(nearest ?? "none")", "peer": "\(connection.peer)"],
            within: &limits.unknownPaths, at: now)
    }

    /// - Parameter url: what the client may use instead.
    func tunerOverIPv6(_ connection: Connection, url: String, at now: MonotonicTime) {
        logger.log(
            .info, "SAT>IP client connected over IPv6, but SAT>IP media needs IPv4",
            metadata: ["peer": "\(connection.peer)", "paste": "\(url)"], within: &limits.unknownPaths, at: now)
    }

    func protectionFailed(_ failure: any Error, for connection: Connection, at now: MonotonicTime) {
        logger.log(
            .warning, "SRTP setup failed", metadata: ["peer": "\(connection.peer)", "reason": "\(failure)"],
            within: &limits.failedHandshakes, at: now)
    }

    func groupRefused(at path: String, _ failure: MulticastFailure, at now: MonotonicTime) {
        logger.log(
            .warning, "multicast refused", metadata: ["path": "\(path)", "reason": "\(failure)"],
            within: &limits.refusedGroups, at: now)
    }

    // MARK: Sessions

    /// Logs that a session was joined or paused, within the limits of its connection and of the loop.
    func activity(
        _ message: Logger.Message, _ session: ViewerSession, of connection: Connection, at now: MonotonicTime
    ) {
        guard let suppressed = connection.log.activity.admit(at: now) else { return }
        logger.log(
            .info, message, metadata: metadata(of: session, connection), within: &limits.activity, counting: suppressed,
            at: now)
    }

    func left(_ session: ViewerSession, of connection: Connection, because reason: String, at now: MonotonicTime) {
        var metadata = metadata(of: session, connection)
        metadata["reason"] = "\(reason)"
        if session.viewer.droppedUnits > 0 { metadata["dropped"] = "\(session.viewer.droppedUnits) units" }
        if let losses = session.viewer.network.lossText { metadata["lost"] = "\(losses)" }
        logger.log(
            .info, "left", metadata: metadata, within: &limits.activity,
            counting: connection.log.activity.takeSuppressedCount(), at: now)
    }

    /// Logs that a viewer gets another rendition of its path.
    func moved(
        _ session: ViewerSession, of connection: Connection, to path: String, because reason: MoveReason,
        at now: MonotonicTime
    ) {
        guard let suppressed = connection.log.activity.admit(at: now) else { return }
        var metadata = metadata(of: session, connection)
        metadata["rendition"] = "\(path)"
        metadata["reason"] = "\(reason)"
        logger.log(
            .info, "moved to another rendition", metadata: metadata, within: &limits.activity, counting: suppressed,
            at: now)
    }

    // MARK: Publishers

    func publishingRefused(at path: String, _ refusal: Refusal, to connection: Connection, at now: MonotonicTime) {
        logger.log(
            .notice, "publisher refused",
            metadata: [
                "path": "\(path)", "peer": "\(connection.peer)",
                "reason": "\(refusal.reason ?? refusal.status.description)",
            ], within: &limits.refusedPublishers, at: now)
    }

    func publishes(_ session: PublisherSession, _ connection: Connection, at now: MonotonicTime) {
        logger.log(
            .notice, "publisher joined", metadata: metadata(of: session, connection), within: &limits.activity, at: now)
    }

    func publishedUntilNow(
        _ session: PublisherSession, _ connection: Connection, because reason: String, at now: MonotonicTime
    ) {
        var metadata = metadata(of: session, connection)
        metadata["reason"] = "\(reason)"
        if let start = session.startedAt { metadata["seconds"] = "\((now - start) / 1_000_000_000)" }
        logger.log(.notice, "publisher left", metadata: metadata, within: &limits.activity, at: now)
    }

    /// - Parameter count: the packets that have failed since the last message about the session.
    func packetsFailedAuthentication(
        _ count: Int64, of session: PublisherSession, _ connection: Connection, at now: MonotonicTime
    ) {
        logger.log(
            .warning, "packets failed the authentication of SRTP",
            metadata: [
                "path": "\(session.announcement.path)", "peer": "\(connection.peer)", "packets": "\(count)",
                "reason": "another key, forged, or not encrypted",
            ], within: &limits.unauthenticPackets, at: now)
    }

    private func metadata(of session: PublisherSession, _ connection: Connection) -> Logger.Metadata {
        [
            "path": "\(session.announcement.path)", "peer": "\(connection.peer)",
            "transport": "\(session.transportName(insideTLS: connection.output.tls != nil))",
            "client": "\(session.publication?.publisher.userAgent ?? "unnamed")",
        ]
    }

    private func metadata(of session: ViewerSession, _ connection: Connection) -> Logger.Metadata {
        [
            "path": "\(session.entry.stream.path)", "peer": "\(connection.peer)",
            "transport": "\(session.transportName)", "client": "\(connection.client.userAgent ?? "unnamed")",
        ]
    }
}

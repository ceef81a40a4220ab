import Delivery
import Media
import RTMP
import RTSP
import Reactor
import Streams
import TLS

/// How connections begin and end.
extension RTMPService {
    // MARK: Beginning

    /// Begins to serve a connection that was accepted.
    func adopt(_ accepted: LoopInbox.Accepted, at now: MonotonicTime) {
        let socket = TCPSocket(adopting: Descriptor(adopting: accepted.fd))
        do {
            guard let local = socket.localAddress, !isStopping else { return dropped(accepted) }
            try socket.sendWithoutDelay()
            try socket.limitUnsent(toBytes: context.options.unsentBytes)
            try socket.setUserTimeout(milliseconds: Self.userTimeout)
            // Do not use the host's default: bbr paces, which delays. If cubic is missing, the default applies.
            try? socket.setCongestionControl("cubic")
            let tls = try encryption(of: accepted, at: now)
            let token = place.nextToken()
            try place.watch(socket.fd, .read, as: token)
            let connection = Connection(
                token: token, socket: socket, tls: tls, peer: accepted.peer, local: local, random: handshakeBytes,
                context,
                at: now)
            connections[token] = connection
            connection.output.onChange = { [weak self, weak connection] in
                if let connection { self?.touch(connection) }
            }
            touch(connection)
        } catch {
            log.log(
                .refusedConnection, .warning, "connection dropped", peer: accepted.peer, reason: "\(error)", at: now)
            dropped(accepted)
        }
    }

    /// Milliseconds after which a client that acknowledges nothing has gone: a player whose stream is silent is asked every 20 s.
    private static let userTimeout: Int32 = 30_000

    /// The TLS connection for an accepted connection; `nil` without TLS.
    private func encryption(
        of accepted: LoopInbox.Accepted, at now: MonotonicTime
    ) throws(IdentityFailure) -> TLSConnection? {
        guard accepted.security == .tls else { return nil }
        // A connection to the TLS port is never served without TLS.
        guard let identity = context.identity, let options = context.options.tls else { throw .impossible }
        return try TLSConnection(of: identity, limits: options.handshake, at: now)
    }

    private func dropped(_ accepted: LoopInbox.Accepted) {
        if accepted.security == .tls { context.services.handshakeEnded() }
        context.services.left(accepted.peer)
        inbox.connectionClosed()
    }

    // MARK: In each turn

    /// Sends pending output, updates the events that the socket is watched for, and closes the connection if it is done.
    func settle(_ connection: Connection, at now: MonotonicTime) {
        let output = connection.output
        noteHandshake(of: connection)
        if connection.closing == nil, let failure = output.tls?.failure {
            log.log(
                .failedHandshake, .notice, "connection refused", peer: connection.peer, reason: Self.text(failure),
                at: now)
            close(connection, because: Self.text(failure), .connectionClosed, at: now)
        }
        if !output.isBlocked { _ = connection.transport.flush(at: now) }
        if let failure = output.failure { return lose(connection, "\(failure)", at: now) }
        if connection.hasPeerEnded, connection.closing == nil {
            close(connection, because: "the client has closed the connection", .connectionClosed, at: now)
        }
        if connection.closing != nil {
            let isOverdue = now >= output.lastProgress + context.options.policy.maximumStall
            if connection.transport.isEmpty || connection.hasPeerEnded || isOverdue {
                return release(connection, at: now)
            }
        }
        let wanted = connection.wantedInterest(maximumPendingByteCount: context.options.maximumPendingByteCount)
        if wanted != connection.interest {
            connection.interest = wanted
            place.change(output.socket.fd, wanted, of: connection.token)
        }
        let deadline = connection.nextDeadline(context.options)
        // Media moves a publisher's deadline on with every message, so only an earlier one changes the queue.
        if deadline < connection.deadline ?? .distantFuture {
            connection.deadline = deadline
            place.setDeadline(of: connection.token, to: deadline)
        }
    }

    private func noteHandshake(of connection: Connection) {
        guard connection.isHandshakeCounted, connection.output.tls?.phase == .established else { return }
        connection.isHandshakeCounted = false
        context.services.handshakeEnded()
    }

    private static func text(_ failure: TLSFailure) -> String {
        failure == .plainText
            ? "the client sent plain text to the TLS port" : "\(failure)"
    }

    /// Does what is due.
    func passDeadline(of connection: Connection, at now: MonotonicTime) {
        if let delayed = connection.delayed, now >= delayed.deadline {
            connection.delayed = nil
            switch delayed.refusal {
            case .connect(let rejection): connection.session.rejectConnection(rejection)
            case .stream(let code, let reason): connection.session.reject(code, reason)
            }
            return drain(connection, at: now)
        }
        switch connection.role {
        case .none:
            guard connection.closing == nil, connection.delayed == nil, connection.question == nil else { return }
            passIdleDeadline(of: connection, at: now)
        case .waiting: break
        case .publishing(let publisher):
            let end = publisher.reception.deadlinePassed(at: now, roundTrip: connection.output.roundTrip)
            finish(publisher, of: connection, end, at: now)
        case .playing:
            guard now >= connection.lastPing + Connection.pingInterval else { return }
            connection.lastPing = now
            connection.session.ping(milliseconds: UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000))
            drain(connection, at: now)
        }
    }

    private func passIdleDeadline(of connection: Connection, at now: MonotonicTime) {
        let isConnected = connection.session.parameters != nil
        let seconds = isConnected ? context.options.idleSeconds : context.options.handshakeSeconds
        guard now >= connection.idleSince.advanced(byMilliseconds: Int64(seconds) * 1_000) else { return }
        let reason =
            isConnected
            ? "the client has published and played nothing for \(seconds) s"
            : "the client has not connected within \(seconds) s"
        log.log(.invalidInput, .notice, "connection closed", peer: connection.peer, reason: reason, at: now)
        close(connection, because: reason, .silent, at: now)
    }

    // MARK: Ending

    /// The state machine closes the connection.
    func close(_ connection: Connection, because reason: ServerOrder.CloseReason, at now: MonotonicTime) {
        switch reason {
        case .protocolError(let error):
            log.log(
                .invalidInput, .notice, "connection refused", peer: connection.peer,
                reason: "\(reason)\(hint(about: error))", at: now)
        case .tooManyWaitingBytes:
            log.log(
                .invalidInput, .notice, "connection refused", peer: connection.peer, reason: "\(reason)", at: now)
        // What is refused has been logged.
        case .refused: log.debug("connection closed", peer: connection.peer, reason: "\(reason)")
        }
        close(connection, because: "\(reason)", .connectionClosed, at: now)
    }

    /// What else the first byte tells: that of a TLS handshake, or a letter.
    private func hint(about error: RTMPError) -> String {
        guard case .unsupportedVersion(let version) = error else { return "" }
        if version == 22 {
            return context.options.tls.map { ": the client speaks TLS; use rtmps:// at port \($0.port)" }
                ?? ": the client speaks TLS, which is not served: tls.encryption is no"
        }
        return (0x41...0x5A).contains(version) ? ": the client speaks another protocol, such as HTTP or RTSP" : ""
    }

    /// Ends what the client does, and closes the connection once the pending output has been sent.
    func close(
        _ connection: Connection, because reason: String, _ departure: ViewerCounts.Departure, at now: MonotonicTime
    ) {
        guard connection.closing == nil else { return }
        connection.closing = Connection.Closing(reason: reason, departure: departure)
        endRole(of: connection, departure, because: reason, at: now)
        touch(connection)
    }

    /// Closes a connection whose socket has failed, or whose client has gone.
    func lose(_ connection: Connection, _ reason: String, at now: MonotonicTime) {
        connection.hasPeerEnded = true
        log.debug("connection lost", peer: connection.peer, reason: reason)
        close(connection, because: reason, .connectionClosed, at: now)
        release(connection, at: now)
    }

    /// Closes the socket once the client could read the last status: if it is closed with unread input, the kernel sends a reset, which
    /// discards data on its way.
    func release(_ connection: Connection, at now: MonotonicTime) {
        guard connections.removeValue(forKey: connection.token) != nil else { return }
        endRole(of: connection, .connectionClosed, because: "the connection has closed", at: now)
        connection.output.onChange = nil
        connection.output.finish()
        connection.output.flush(at: now)
        place.setDeadline(of: connection.token, to: nil)
        guard !connection.hasPeerEnded, connection.output.failure == nil, connection.transport.isEmpty, !isStopping
        else { return free(connection) }
        if connection.interest != .read { place.change(connection.output.socket.fd, .read, of: connection.token) }
        connection.output.socket.endWriting()
        lingering[connection.token] = connection
        place.setDeadline(of: connection.token, to: now + Self.lingeringTime)
        discardInput(of: connection.token)
    }

    /// How long a socket is kept open, in nanoseconds: more than two round trips to the other side of the world.
    private static let lingeringTime: Int64 = 1_000_000_000

    /// Discards input on a connection that is over.
    func discardInput(of token: Token) {
        guard let connection = lingering[token] else { return }
        while connection.lingeringByteBudget > 0 {
            switch connection.output.socket.discard(connection.lingeringByteBudget) {
            case .bytes(let count): connection.lingeringByteBudget -= count
            case .wouldBlock: return
            case .end, .failed: return endLingering(token)
            }
        }
        endLingering(token)
    }

    func endLingering(_ token: Token) {
        guard let connection = lingering.removeValue(forKey: token) else { return }
        place.setDeadline(of: token, to: nil)
        free(connection)
    }

    private func free(_ connection: Connection) {
        place.unwatch(connection.output.socket.fd)
        if connection.isHandshakeCounted {
            connection.isHandshakeCounted = false
            context.services.handshakeEnded()
        }
        context.services.left(connection.peer)
        inbox.connectionClosed()
    }
}

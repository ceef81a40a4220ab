import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams

/// Accepts connections, reads from them and closes them.
extension ServerLoop {
    /// Begins to serve a connection.
    func adopt(_ accepted: Inbox.Accepted, at now: MonotonicTime) {
        let socket = TCPSocket(adopting: Descriptor(adopting: accepted.fd))
        lastToken += 1
        let token = Token(rawValue: lastToken)
        do {
            guard let local = socket.localAddress, !isStopping else { return dropped(accepted) }
            try socket.sendWithoutDelay()
            try socket.limitUnsent(toBytes: options.unsentBytes)
            // Do not use the host's default: bbr paces, which delays. If cubic is missing, the default applies.
            try? socket.setCongestionControl("cubic")
            let tls = try protection(of: accepted, at: now)
            try loop.add(socket.fd, .read, token: token)
            let connection = Connection(
                token: token, socket: socket, tls: tls, peer: accepted.peer, local: local,
                configuration: options.connection, admission: admission, at: now)
            connections[token] = connection
            connection.output.onChange = { [touched, weak connection] in
                if let connection { touched.add(connection) }
            }
            perform(connection, at: now)
        } catch {
            logger.log(
                .warning, "connection dropped", metadata: ["peer": "\(accepted.peer)", "reason": "\(error)"],
                within: &logs.droppedConnections, at: now)
            dropped(accepted)
        }
    }

    private func dropped(_ accepted: Inbox.Accepted) {
        if accepted.security == .tls { registry.handshakeEnded() }
        registry.left(accepted.peer)
        inbox.connectionClosed()
    }

    /// The time for reading one connection in a turn, in nanoseconds.
    private static let readBudget: Int64 = 500_000

    /// Passes received bytes to the connection's state machine.
    func read(_ connection: Connection, at now: MonotonicTime) {
        // Short reads for a limited time, so that a flood from one client leaves the loop to the others.
        let end = MonotonicTime.now() + Self.readBudget
        while connection.closing == nil, connections[connection.token] != nil,
            connection.output.pendingByteCount < options.maximumPendingReplyBytes
        {
            let outcome = withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 16) { buffer in
                let outcome = connection.output.socket.read(into: buffer)
                if case .bytes(let count) = outcome {
                    received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), on: connection, at: now)
                }
                return outcome
            }
            switch outcome {
            case .bytes:
                perform(connection, at: now)
                continueProcessing(connection, until: end, at: now)
                guard connection.machine.wantsBytes, MonotonicTime.now() < end else { return }
            case .wouldBlock:
                return
            case .end:
                connection.hasPeerEnded = true
                connection.machine.receivedEnd(at: now)
                return perform(connection, at: now)
            case .failed(let error):
                return lost(connection, error, at: now)
            }
        }
    }

    /// Processes further messages of one connection, step by step.
    private func continueProcessing(_ connection: Connection, until end: MonotonicTime, at now: MonotonicTime) {
        while connection.canContinue(maximumPendingReplyBytes: options.maximumPendingReplyBytes),
            MonotonicTime.now() < end
        {
            connection.machine.continueProcessing(at: now)
            perform(connection, at: now)
        }
    }

    /// The time that a turn spends on connections with unprocessed messages, in nanoseconds. Media is sent between two turns.
    private static let backlogBudget: Int64 = 1_000_000

    /// Continues the connections with unprocessed messages for a limited time, one step each in turn.
    func continueBackloggedConnections(at now: MonotonicTime) {
        guard !backlogged.isEmpty else { return }
        let end = MonotonicTime.now() + Self.backlogBudget
        repeat {
            guard let connection = backlogged.takeFirst() else { return }
            guard connections[connection.token] === connection else { continue }
            connection.machine.continueProcessing(at: now)
            perform(connection, at: now)
            listIfBacklogged(connection)
        } while MonotonicTime.now() < end
    }

    private func listIfBacklogged(_ connection: Connection) {
        guard connection.canContinue(maximumPendingReplyBytes: options.maximumPendingReplyBytes) else { return }
        backlogged.add(connection)
    }

    /// Passes received bytes to the state machine, decrypted if necessary.
    private func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection, at now: MonotonicTime) {
        guard let tls = connection.output.tls else { return connection.machine.received(bytes.bytes, at: now) }
        tls.received(bytes) { connection.machine.received($0.bytes, at: now) }
        if connection.isHandshakeCounted, tls.phase == .established {
            connection.isHandshakeCounted = false
            registry.handshakeEnded()
        }
        if tls.phase == .ended { connection.machine.receivedEnd(at: now) }
    }

    /// Removes a connection after its socket has failed.
    func lost(_ connection: Connection, _ error: SystemError, at now: MonotonicTime) {
        logger.debug("connection lost", metadata: ["peer": "\(connection.peer)", "reason": "\(error)"])
        connection.hasPeerEnded = true
        connection.machine.receivedEnd(at: now)
        perform(connection, at: now)
        remove(connection, at: now)
    }

    /// Sends pending output, updates the events that the socket is watched for, and closes the connection when it is done.
    func updateSocket(_ connection: Connection, at now: MonotonicTime) {
        if connection.closing == nil, let failure = connection.output.tls?.failure {
            end(connection, because: failure, at: now)
        }
        if connection.output.pendingByteCount > 0, !connection.output.isBlocked { connection.output.flush(at: now) }
        if let failure = connection.output.failure { return lost(connection, failure, at: now) }
        if connection.closing != nil {
            let timeout = connection.output.lastProgress + options.delivery.policy.maximumStall
            if connection.output.pendingByteCount == 0 || now >= timeout { return remove(connection, at: now) }
            // The state machine has no deadline any more. Without this one, a quiet server would never check again.
            deadlines.set(connection.token, timeout)
        }
        listIfBacklogged(connection)
        let wanted = connection.wantedInterest(maximumPendingReplyBytes: options.maximumPendingReplyBytes)
        guard wanted != connection.interest else { return }
        connection.interest = wanted
        // The socket is open and watched: this cannot fail.
        try? loop.change(connection.output.socket.fd, wanted, token: connection.token)
    }

    /// Ends the sessions of a connection, and closes it once the client could read the last response.
    func remove(_ connection: Connection, at now: MonotonicTime) {
        guard connections.removeValue(forKey: connection.token) != nil else { return }
        logMissingCredentials(of: connection, at: now)
        for session in connection.sessions.values {
            end(session, of: connection, because: "connection closed", at: now)
        }
        deadlines.remove(connection.token)
        waiting.removeAll { $0.connection === connection }
        // The pending output now contains the RTCP BYEs.
        connection.output.finish()
        connection.output.flush(at: now)
        let output = connection.output
        guard !connection.hasPeerEnded, output.failure == nil, output.pendingByteCount == 0 else {
            return close(output, of: connection.peer, isHandshakeCounted: connection.isHandshakeCounted)
        }
        lingering[connection.token] = LingeringClose(connection)
        deadlines.set(connection.token, now + LingeringClose.timeout)
        // The socket is open and watched: this cannot fail.
        if connection.interest != .read { try? loop.change(output.socket.fd, .read, token: connection.token) }
        discardInput(of: connection.token)
        if isStopping { endLingering(connection.token) }
    }

    /// Discards input on a connection that is over.
    func discardInput(of token: Token) {
        if lingering[token]?.discardInput() == false { endLingering(token) }
    }

    /// Closes a connection after the client has read everything, or its time is up.
    func endLingering(_ token: Token) {
        guard let close = lingering.removeValue(forKey: token) else { return }
        deadlines.remove(token)
        self.close(close.output, of: close.peer, isHandshakeCounted: close.isHandshakeCounted)
    }

    private func close(_ output: TCPOutput, of peer: SocketAddress, isHandshakeCounted: Bool) {
        loop.remove(output.socket.fd)
        if isHandshakeCounted { registry.handshakeEnded() }
        registry.left(peer)
        inbox.connectionClosed()
    }

    /// Sends a BYE to all viewers and closes everything, before the loop stops.
    func stop(at now: MonotonicTime) {
        isStopping = true
        for connection in connections.values {
            connection.machine.shuttingDown()
            perform(connection, at: now)
            connection.output.flush(at: now)
            remove(connection, at: now)
        }
        for viewer in groups.removeAll() { delivery.end(viewer, at: now) }
    }
}

import Delivery
import Media
import RTSP
import Reactor
import WebRTC

/// TCP connections.
extension WebRTCService {
    /// The pause after running out of descriptors, in nanoseconds.
    private static let pause: Int64 = 100_000_000
    /// Connections accepted in a turn.
    private static let connectionsPerTurn = 32

    // MARK: Beginning

    /// Clients want to connect.
    func accept(at now: MonotonicTime) {
        do throws(SystemError) {
            for _ in 0..<Self.connectionsPerTurn {
                guard let accepted = try port.listener.accept() else { return }
                adopt(accepted, at: now)
            }
        } catch {
            // Without free descriptors the port would be ready in every turn.
            place.unwatch(port.listener.fd)
            place.setDeadline(of: listenerToken, to: now + Self.pause)
            log.log(
                .refusedConnection, .error, "cannot accept connections for now",
                peer: SocketAddress.any(.ipv4, port: port.number), reason: "\(error)", at: now)
        }
    }

    private func adopt(_ accepted: consuming AcceptedConnection, at now: MonotonicTime) {
        let peer = accepted.peer
        guard connections.count < context.options.maximumConnections else {
            return log.log(
                .refusedConnection, .warning, "connection refused", peer: peer,
                reason: "there are too many (webrtc.connections)", at: now)
        }
        if let refusal = context.services.admit(peer, .clear) {
            return log.log(
                .refusedConnection, .warning, "connection refused", peer: peer, reason: refusal, at: now)
        }
        let socket = accepted.takeSocket()
        do throws(SystemError) {
            try socket.sendWithoutDelay()
            try socket.limitUnsent(toBytes: context.options.unsentBytes)
            let token = place.nextToken()
            try place.watch(socket.fd, .read, as: token)
            let connection = Connection(socket, token: token, peer: peer, at: now)
            connections[token] = connection
            connection.output.onChange = { [weak self, weak connection] in
                if let connection { self?.changed.append(connection) }
            }
            place.setDeadline(of: token, to: now + Connection.adoptionTime)
        } catch {
            context.services.left(peer)
            log.log(.refusedConnection, .warning, "connection dropped", peer: peer, reason: "\(error)", at: now)
        }
    }

    // MARK: Reading and writing

    /// A connection is ready.
    func isReady(_ connection: Connection, _ readiness: Readiness, at now: MonotonicTime) {
        if readiness.contains(.writable) {
            connection.output.flush(at: now)
            if let viewer = table[connection.path]?.playback?.viewer {
                place.delivery.outputBecameWritable(of: viewer, at: now)
            }
            changed.append(connection)
        }
        guard !readiness.isDisjoint(with: [.readable, .hangup, .error]) else { return }
        switch connection.output.socket.read(into: connectionBuffer) {
        case .bytes(let count):
            connection.frames.append(UnsafeRawBufferPointer(rebasing: connectionBuffer[..<count]).bytes)
            do throws(FramedDatagrams.DatagramTooLong) {
                while let datagram = try connection.frames.next() {
                    received(datagram.span.bytes, over: connection.path, at: now)
                }
            } catch {
                close(connection, because: "\(error)", at: now)
            }
        case .wouldBlock: break
        case .end: close(connection, because: "the client has closed the connection", at: now)
        case .failed(let error): close(connection, because: "\(error)", at: now)
        }
    }

    /// Sends a datagram over a connection.
    func send(_ bytes: UnsafeRawBufferPointer, on token: Token, at now: MonotonicTime) {
        guard let connection = connections[token],
            connection.output.pendingByteCount < Connection.maximumPendingByteCount
        else { return }
        connection.output.append(datagram: bytes)
        connection.output.flush(at: now)
    }

    /// Updates the events that connections are watched for, and closes those that have failed.
    func settleConnections(at now: MonotonicTime) {
        while let connection = changed.popLast() {
            guard connections[connection.token] === connection else { continue }
            if let failure = connection.output.failure {
                close(connection, because: "\(failure)", at: now)
                continue
            }
            if connection.output.pendingByteCount > 0, !connection.output.isBlocked { connection.output.flush(at: now) }
            let wanted: Interest = connection.output.isBlocked ? [.read, .write] : .read
            guard wanted != connection.interest else { continue }
            connection.interest = wanted
            place.change(connection.output.socket.fd, wanted, of: connection.token)
        }
    }

    // MARK: Ending

    /// A path is no session's any more. If it is a connection, another check may come, or else it is closed.
    func release(_ path: NetworkPath, at now: MonotonicTime) {
        guard let token = path.connection, connections[token] != nil else { return }
        place.setDeadline(of: token, to: now + Connection.adoptionTime)
    }

    /// No session has adopted a connection in time.
    func passDeadline(of connection: Connection, at now: MonotonicTime) {
        guard table[connection.path] == nil else { return }
        close(connection, because: "no connectivity check has come", at: now)
    }

    /// Closes a connection. Media that were sent over it go another way, if the client has been reached there; if not, viewing ends.
    func close(_ connection: Connection, because reason: String, at now: MonotonicTime) {
        guard connections.removeValue(forKey: connection.token) != nil else { return }
        if let session = table[connection.path] {
            perform(session.agent.closed(connection.path), of: session, at: now)
            if session.playback?.viewer?.output === connection.output {
                end(session, .connectionClosed, because: reason, at: now)
            }
        }
        connection.output.onChange = nil
        place.unwatch(connection.output.socket.fd)
        place.setDeadline(of: connection.token, to: nil)
        context.services.left(connection.peer)
    }
}

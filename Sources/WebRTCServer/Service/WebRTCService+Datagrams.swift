import Delivery
import Media
import RTP
import Reactor
import TLS
import WebRTC

/// What comes to the port. Before a valid check, nothing but checks is answered.
extension WebRTCService {
    /// A datagram has come, over UDP or TCP.
    func received(_ datagram: RawSpan, over path: NetworkPath, at now: MonotonicTime) {
        guard let kind = DatagramKind(datagram) else { return }
        if case .stun = kind { return receivedSTUN(datagram, over: path, at: now) }
        guard let session = table[path] else { return }
        switch kind {
        case .stun: break
        case .dtls:
            session.noteUnproven(datagram, over: path)
            receivedHandshake(datagram, of: session, at: now)
        case .rtp: session.publishing?.received(datagram, at: now)
        case .rtcp: receivedReport(datagram, of: session, at: now)
        }
    }

    // MARK: ICE

    private func receivedSTUN(_ datagram: RawSpan, over path: NetworkPath, at now: MonotonicTime) {
        guard let message = STUNMessage(parsing: datagram), let session = table.session(of: message, over: path),
            let address = path.mappedAddress
        else { return }
        // The owner of one session could forge the source of a check, and so take over the path of another.
        guard !table.isReserved(path, against: session, at: now) else { return }
        let orders = session.agent.received(
            message, in: datagram, from: path, at: address,
            transaction: STUNTransaction(high: numbers.next(), low: numbers.next()), at: now,
            authenticate: { HMACSHA1.code(of: $0, key: $1) })
        // Only an authentic message has an effect.
        if !orders.isEmpty { session.noteUnproven(datagram, over: path) }
        perform(orders, of: session, at: now)
    }

    func perform(_ orders: [ICEOrder<NetworkPath>], of session: Session, at now: MonotonicTime) {
        for order in orders {
            switch order {
            case .send(let bytes, let path): bytes.withUnsafeBytes { send($0, over: path, at: now) }
            case .adopt(let path):
                if let former = table.adopt(path, by: session) {
                    perform(former.agent.lost(path), of: former, at: now)
                }
            case .select(let path): select(path, for: session, at: now)
            case .suspend:
                // A publisher may go on without feedback.
                guard session.playback?.viewer != nil else { break }
                return end(
                    session, .silent, because: "the client's path is gone, and no check is answered on another",
                    at: now)
            case .forget(let path):
                table.forget(path, of: session)
                release(path, at: now)
            case .expire(let expiry): return expire(session, expiry, at: now)
            }
        }
        setDeadline(of: session)
    }

    private func expire(_ session: Session, _ expiry: ICEExpiry, at now: MonotonicTime) {
        end(session, .silent, because: expiry.description, at: now)
    }

    /// Media go over a path from now on.
    private func select(_ path: NetworkPath, for session: Session, at now: MonotonicTime) {
        switch session.phase {
        case .pending: beginHandshake(of: session, at: now)
        case .handshaking, .established:
            // The peer has answered the server's check there.
            session.unproven = nil
            move(session, to: path, at: now)
            flush(session, at: now)
        case .ended: break
        }
    }

    /// Sends media over another path.
    private func move(_ session: Session, to path: NetworkPath, at now: MonotonicTime) {
        guard let playback = session.playback else { return }
        if path.connection == nil, playback.moveRoute(to: path.remote, from: path.local) { return }
        if let way = way(over: path) { playback.move(to: way, on: place.delivery, at: now) }
    }

    /// How media go over a path; `nil` if its connection has closed.
    func way(over path: NetworkPath) -> MultiplexedWay? {
        guard let token = path.connection else {
            return .udp(
                UDPRoute(destination: path.remote, reportDestination: path.remote, source: path.local, ports: ports))
        }
        return connections[token].map { .framed($0.output) }
    }

    func send(_ bytes: UnsafeRawBufferPointer, over path: NetworkPath, at now: MonotonicTime) {
        if let connection = path.connection { return send(bytes, on: connection, at: now) }
        // A datagram that is lost here is lost as on the network.
        _ = ports.pair.rtp.send(bytes, to: path.remote, segmentByteCount: nil, source: path.local)
    }

    // MARK: DTLS

    private func beginHandshake(of session: Session, at now: MonotonicTime) {
        do throws(IdentityFailure) {
            let connection = try DTLSConnection(
                session.role == .client ? .client : .server, as: try context.identity(),
                peerFingerprint: session.peerFingerprint, limits: context.options.handshake, at: now)
            session.phase = .handshaking(connection)
            flush(session, at: now)
        } catch {
            // Without memory.
            end(session, .connectionClosed, because: "the handshake cannot begin: \(error)", at: now)
        }
    }

    private func receivedHandshake(_ datagram: RawSpan, of session: Session, at now: MonotonicTime) {
        guard let connection = session.dtls else { return }
        connection.received(datagram, at: now)
        proceed(session, connection, at: now)
    }

    /// Sends what the DTLS connection has for the client, and handles its phase.
    func proceed(_ session: Session, _ connection: DTLSConnection, at now: MonotonicTime) {
        flush(session, at: now)
        switch (session.phase, connection.phase) {
        case (.handshaking, .established(let keys)):
            context.pending.remove(session.client.address)
            session.phase = .established(connection)
            session.unproven = nil
            established(session, keys, at: now)
        case (_, .failed(let failure)):
            log.log(
                .failedSession, .notice, "WebRTC session failed", peer: session.peer, reason: "\(failure)",
                ["path": "\(session.path.stream.path)"], at: now)
            end(session, .connectionClosed, because: "\(failure)", at: now)
        case (_, .ended): end(session, .left, because: "the client has closed the connection", at: now)
        case (_, .handshake), (_, .established): break
        }
        setDeadline(of: session)
    }

    /// Sends what the DTLS connection has for the client.
    func flush(_ session: Session, at now: MonotonicTime) {
        guard let path = session.agent.selectedPath else { return }
        session.dtls?.takeOutput { datagram in
            guard session.unproven?.admits(byteCount: datagram.count) ?? true else { return }
            send(datagram, over: path, at: now)
        }
    }

    // MARK: Deadlines

    /// Brings the deadline forward, if something is due earlier.
    func setDeadline(of session: Session) {
        guard !session.isEnded else { return }
        let next = session.nextDeadline
        guard next < session.deadline ?? .distantFuture else { return }
        session.deadline = next
        place.setDeadline(of: session.token, to: next)
    }

    func passDeadline(of session: Session, at now: MonotonicTime) {
        if let connection = session.dtls {
            connection.deadlinePassed(at: now)
            proceed(session, connection, at: now)
        }
        guard !session.isEnded else { return }
        perform(session.agent.deadlinePassed(at: now), of: session, at: now)
    }
}

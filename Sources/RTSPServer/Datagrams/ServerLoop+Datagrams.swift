import Delivery
import Media
import RTP
import RTSP
import Reactor

/// Datagrams from clients: RTCP, and the hole-punching packets of clients behind a NAT, which latch their addresses (RFC 7362).
extension ServerLoop {
    /// How long after PLAY a datagram may latch a viewer's ports, in nanoseconds.
    private static let latchWindow: Int64 = 5_000_000_000

    /// Batches of datagrams read in a turn. A flood waits in the socket or is lost there; media is not delayed.
    private static let batchesPerTurn = 4

    func receiveReports(at now: MonotonicTime) {
        for _ in 0..<Self.batchesPerTurn {
            guard case .bytes = datagrams.receive(from: ports.pair.rtcp) else { return }
            for index in 0..<datagrams.count {
                guard let datagram = datagrams[index] else { continue }
                if let session = viewersByReportSource[datagram.source] {
                    guard let connection = sessionsByViewer[session.viewer.id]?.connection,
                        received(
                            datagram: datagram.bytes.bytes, from: datagram.source, for: session, on: connection, at: now
                        )
                    else { continue }
                    markLatched(session, .rtcp)
                } else {
                    receivedLatchingPacket(from: datagram.source, .rtcp, at: now)
                }
            }
        }
    }

    func receiveLatchingDatagrams(at now: MonotonicTime) {
        for _ in 0..<Self.batchesPerTurn {
            guard case .bytes = datagrams.receive(from: ports.pair.rtp) else { return }
            for index in 0..<datagrams.count {
                guard let source = datagrams[index]?.source else { continue }
                if let session = viewersByReportSource[source] {
                    markLatched(session, .rtp)
                } else {
                    receivedLatchingPacket(from: source, .rtp, at: now)
                }
            }
        }
    }

    /// Handles RTCP of a viewer: liveness, and keyframe requests. Malformed packets are ignored.
    func received(_ bytes: RawSpan, from session: ViewerSession, on connection: Connection, at now: MonotonicTime) {
        guard let compound = try? Compound(parsing: bytes) else { return }
        connection.machine.noteActivity(of: session.id, at: now)
        for case .feedback(let feedback) in compound.packets {
            switch feedback.request {
            case .pictureLossIndication, .fullIntraRequest: delivery.requestKeyframe(for: session.viewer, at: now)
            case .genericNACK: break
            }
        }
    }

    /// Starts latching: a datagram from another port may correct the session's ports from now on, or did so just before PLAY.
    func expectLatching(for session: ViewerSession, at now: MonotonicTime) {
        unlatched.remove(session)
        guard session.lowerTransport == .udp, !session.isLatched, let host = session.host else { return }
        unlatched.add(session)
        for candidate in latchCandidates.take(of: host, at: now) {
            receivedLatchingPacket(from: candidate.source, candidate.socket, at: now)
        }
    }

    /// Whether no datagram may change the session's ports any more.
    private func isLatchingOver(_ session: ViewerSession, at now: MonotonicTime) -> Bool {
        session.isLatched || session.startedAt.map { now - $0 > Self.latchWindow } ?? true
    }

    /// Notes that a datagram came from an expected port.
    private func markLatched(_ session: ViewerSession, _ socket: ClientSocket) {
        // A port that arrives as negotiated shows that there is no NAT in between; a corrected one shows nothing.
        session.latchedSockets =
            session.latchedSockets.isEmpty ? Set(ClientSocket.allCases) : session.latchedSockets.union([socket])
    }

    /// Handles a datagram from an unknown port. It may correct each of a viewer's two ports once, within 5 s after PLAY, and only
    /// if exactly one session of that address on this loop is not latched. That session must have a single track, because the
    /// datagram does not show which track it is for.
    private func receivedLatchingPacket(from source: SocketAddress, _ socket: ClientSocket, at now: MonotonicTime) {
        let host = source.with(port: 0)
        let candidates = unlatched.candidates(of: host) { isLatchingOver($0, at: now) }
        guard !candidates.isEmpty else { return latchCandidates.add(source, socket, at: now) }
        guard candidates.count == 1, let session = candidates.first, !session.latchedSockets.contains(socket),
            let moved = session.destinations(with: source, of: socket).first(where: {
                registry.exchange(session.destinations, for: $0)
            })
        else { return }
        session.latchedSockets.insert(socket)
        for destination in session.destinations { viewersByReportSource[destination] = nil }
        session.destinations = moved
        for destination in moved { viewersByReportSource[destination] = session }
        for case .udp(let route)? in session.viewer.tracks.map({ $0?.transport }) {
            route.move(
                toPort: moved[ClientSocket.rtp.rawValue].port, reportPort: moved[ClientSocket.rtcp.rawValue].port)
        }
    }
}

extension ViewerSession {
    /// Whether both of the client's sockets are confirmed.
    fileprivate var isLatched: Bool { latchedSockets.count == ClientSocket.allCases.count }

    /// The addresses for its packets after a datagram to `socket` from `source`, the likeliest first; none if it has several
    /// tracks.
    fileprivate func destinations(with source: SocketAddress, of socket: ClientSocket) -> [[SocketAddress]] {
        guard destinations.count == ClientSocket.allCases.count else { return [] }
        guard socket == .rtp else { return [[destinations[0], source]] }
        // A NAT that keeps pairs together has RTCP at the next port, unless that has latched elsewhere.
        let isGuess = !latchedSockets.contains(.rtcp) && source.port < .max
        return (isGuess ? [[source, source.with(port: source.port &+ 1)]] : []) + [[source, destinations[1]]]
    }
}

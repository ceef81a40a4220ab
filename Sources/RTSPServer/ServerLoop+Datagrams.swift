import Delivery
import Media
import RTP
import RTSP
import Reactor

/// What viewers send: RTCP, over UDP or interleaved, and the punch packets of those behind a translator.
extension ServerLoop {
    /// After PLAY, how long a viewer's ports may turn out to be others than it named, in nanoseconds.
    private static let latchWindow: Int64 = 5_000_000_000

    /// Batches of datagrams read in a turn: what comes faster waits in the socket, or is lost there, and not media.
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
                    heard(session, .rtcp)
                } else {
                    latched(from: datagram.source, .rtcp, at: now)
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
                    heard(session, .rtp)
                } else {
                    latched(from: source, .rtp, at: now)
                }
            }
        }
    }

    /// RTCP of a viewer: liveness, and pleas for a random access point. Anything malformed is let go.
    func received(_ bytes: RawSpan, from session: Session, on connection: Connection, at now: MonotonicTime) {
        guard let compound = try? Compound(parsing: bytes) else { return }
        connection.machine.noteActivity(of: session.id, at: now)
        for case .feedback(let feedback) in compound.packets {
            switch feedback.request {
            case .pictureLossIndication, .fullIntraRequest: delivery.requestKeyframe(for: session.viewer, at: now)
            case .genericNACK: break
            }
        }
    }

    /// From now on a datagram from elsewhere may correct the session's ports; one that came just before PLAY does now.
    func expectLatching(for session: Session, at now: MonotonicTime) {
        unlatched.remove(session)
        guard session.lowerTransport == .udp, !session.isHeard, let host = session.host else { return }
        unlatched.add(session)
        for punch in latchCandidates.take(of: host, at: now) { latched(from: punch.source, punch.socket, at: now) }
    }

    /// Whether no datagram may move the session's ports any more.
    private func isSettled(_ session: Session, at now: MonotonicTime) -> Bool {
        session.isHeard || session.startedAt.map { now - $0 > Self.latchWindow } ?? true
    }

    /// The client was heard from where it is known to be.
    private func heard(_ session: Session, _ socket: ClientSocket) {
        // One port that arrives as it was named shows that no translator is between; one that was corrected, nothing.
        session.heard = session.heard.isEmpty ? Set(ClientSocket.allCases) : session.heard.union([socket])
    }

    /// A datagram from a port that nobody named. It may correct a viewer's port, each of its two once, within 5 s after
    /// PLAY, and only if exactly one session of that address on this loop has heard nothing yet; one with a single track,
    /// since the datagram does not say which track it is about.
    private func latched(from source: SocketAddress, _ socket: ClientSocket, at now: MonotonicTime) {
        let host = source.with(port: 0)
        let candidates = unlatched.candidates(of: host) { isSettled($0, at: now) }
        guard !candidates.isEmpty else { return latchCandidates.add(source, socket, at: now) }
        guard candidates.count == 1, let session = candidates.first, !session.heard.contains(socket),
            let moved = session.destinations(with: source, of: socket).first(where: {
                registry.exchange(session.destinations, for: $0)
            })
        else { return }
        session.heard.insert(socket)
        for destination in session.destinations { viewersByReportSource[destination] = nil }
        session.destinations = moved
        for destination in moved { viewersByReportSource[destination] = session }
        for case .udp(let route)? in session.viewer.tracks.map({ $0?.transport }) {
            route.move(
                toPort: moved[ClientSocket.rtp.rawValue].port, reportPort: moved[ClientSocket.rtcp.rawValue].port)
        }
    }
}

extension Session {
    /// Whether both of the client's sockets are where we believe them to be.
    fileprivate var isHeard: Bool { heard.count == ClientSocket.allCases.count }

    /// Where its packets may go now that one of its sockets was heard at `source`, the likeliest first; nothing for several tracks.
    fileprivate func destinations(with source: SocketAddress, of socket: ClientSocket) -> [[SocketAddress]] {
        guard destinations.count == ClientSocket.allCases.count else { return [] }
        guard socket == .rtp else { return [[destinations[0], source]] }
        // A translator that keeps pairs together has RTCP next to it, as long as that was not heard elsewhere.
        let isGuess = !heard.contains(.rtcp) && source.port < .max
        return (isGuess ? [[source, source.with(port: source.port &+ 1)]] : []) + [[source, destinations[1]]]
    }
}

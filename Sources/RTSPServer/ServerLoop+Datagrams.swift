import Delivery
import Media
import RTP
import RTSP
import Reactor

/// What viewers send: RTCP, over UDP or interleaved, and the punch packets of those behind a translator.
extension ServerLoop {
    /// After PLAY, how long a viewer's ports may turn out to be others than it named, in nanoseconds.
    private static let punchWindow: Int64 = 5_000_000_000

    /// Batches of datagrams read in a turn: what comes faster waits in the socket, or is lost there, and not media.
    private static let batchesPerTurn = 4

    func receiveReports(at now: MonotonicTime) {
        for _ in 0..<Self.batchesPerTurn {
            guard case .bytes = datagrams.receive(from: ports.pair.rtcp) else { return }
            for index in 0..<datagrams.count {
                guard let datagram = datagrams[index] else { continue }
                if let session = viewersByReportSource[datagram.source] {
                    heard(session, datagram.source, at: now)
                    guard let connection = sessionsByViewer[session.viewer.id]?.connection else { continue }
                    received(datagram.bytes.bytes, from: session, on: connection, at: now)
                } else {
                    punched(from: datagram.source, isReport: true, at: now)
                }
            }
        }
    }

    func receivePunches(at now: MonotonicTime) {
        for _ in 0..<Self.batchesPerTurn {
            guard case .bytes = datagrams.receive(from: ports.pair.rtp) else { return }
            for index in 0..<datagrams.count {
                guard let source = datagrams[index]?.source else { continue }
                if let session = viewersByReportSource[source] {
                    heard(session, source, at: now)
                } else {
                    punched(from: source, isReport: false, at: now)
                }
            }
        }
    }

    /// RTCP of a viewer: liveness, and pleas for a random access point. Anything malformed is let go.
    func received(_ bytes: RawSpan, from session: Session, on connection: Connection, at now: MonotonicTime) {
        guard let compound = try? Compound(parsing: bytes) else { return }
        connection.machine.heard(session.id, at: now)
        for case .feedback(let feedback) in compound.packets {
            switch feedback.request {
            case .pictureLossIndication, .fullIntraRequest: delivery.requestRandomAccess(for: session.viewer, at: now)
            case .genericNACK: break
            }
        }
    }

    /// From now on a datagram from elsewhere may correct the session's ports.
    func expectPunch(for session: Session, at now: MonotonicTime) {
        unheard.removeAll { $0 === session }
        forgetHeard(at: now)
        if session.lowerTransport == .udp, !session.isHeard { unheard.append(session) }
    }

    private func forgetHeard(at now: MonotonicTime) {
        unheard.removeAll { session in session.isHeard || session.startedAt.map { now - $0 > Self.punchWindow } ?? true }
    }

    private func heard(_ session: Session, _ source: SocketAddress, at now: MonotonicTime) {
        session.isHeard = true
    }

    /// A datagram from a port that nobody named. It may correct a viewer's port, once, within 5 s after PLAY, and only if
    /// exactly one session of that address on this loop has heard nothing yet; one with a single track, since the
    /// datagram does not say which track it is about.
    private func punched(from source: SocketAddress, isReport: Bool, at now: MonotonicTime) {
        let host = source.with(port: 0)
        forgetHeard(at: now)
        let candidates = unheard.filter { $0.destinations.first?.with(port: 0) == host }
        guard candidates.count == 1, let session = candidates.first, session.destinations.count == 2 else { return }
        let moved = isReport ? [session.destinations[0], source] : [source, source.with(port: source.port &+ 1)]
        registry.release(session.destinations)
        for destination in session.destinations { viewersByReportSource[destination] = nil }
        let isTaken = registry.take(moved)
        if !isTaken { _ = registry.take(session.destinations) }
        let destinations = isTaken ? moved : session.destinations
        session.destinations = destinations
        session.isHeard = true
        for destination in destinations { viewersByReportSource[destination] = session }
        for case .udp(let route)? in session.viewer.tracks.map({ $0?.lane }) {
            route.move(toPort: destinations[0].port, reportPort: destinations[1].port)
        }
    }
}

import Delivery
import Media
import RTSP
import Reactor

/// Learns the addresses of clients behind a NAT from their datagrams (NAT latching, RFC 7362). A pure state machine.
///
/// A datagram from an unknown port may correct each of a client's two ports once, within 5 s after PLAY, and only if exactly one
/// session of that host is not latched. That session must have a single track, because the datagram does not show which track it
/// is for. Datagrams may also come up to a second before PLAY, because ffmpeg sends its packets first.
///
/// Give one input; drain ``nextOrder(at:)``, and report each accepted order by ``moved(_:to:by:)`` before the next call.
struct NATLatching<Session: Hashable> {
    /// Send the session's packets to the first of these pairs of addresses that no other session uses. Another order may come
    /// only after this one was accepted or failed.
    struct Order: Equatable {
        let session: Session
        let destinations: [[SocketAddress]]
        /// The socket that sent the datagram.
        let port: UDPPort
    }

    private struct Client {
        var destinations: [SocketAddress] = []
        /// The client's sockets with an address that a datagram has confirmed.
        var latched: Set<UDPPort> = []
        /// When PLAY was answered.
        var startedAt: MonotonicTime?

        var isLatched: Bool { latched.count == UDPPort.allCases.count }

        /// The addresses for its packets after a datagram from `source`, the likeliest first; none if it has several tracks.
        func destinations(with source: SocketAddress, of port: UDPPort) -> [[SocketAddress]] {
            guard destinations.count == UDPPort.allCases.count else { return [] }
            guard port == .rtp else { return [[destinations[0], source]] }
            // A NAT that keeps pairs together has RTCP at the next port, unless that has latched elsewhere.
            let isGuess = !latched.contains(.rtcp) && source.port < .max
            return (isGuess ? [[source, source.with(port: RTSP.PortPair(rtp: source.port).rtcp)]] : []) + [
                [source, destinations[1]]
            ]
        }
    }

    /// How long after PLAY a datagram may latch a client's ports, in nanoseconds.
    private static var window: Int64 { 5_000_000_000 }

    private var clients: [Session: Client] = [:]
    /// The sessions that play without being latched, by the host of their client. The cost of a look-up does not depend on the
    /// number of sessions of other hosts, because the source of a datagram may be forged.
    private var unlatched: [SocketAddress: [Session]] = [:]
    private var early = EarlyDatagrams()
    /// Datagrams that have not been considered yet.
    private var pending: [(source: SocketAddress, port: UDPPort)] = []

    /// A session has been set up, with these addresses for RTP and RTCP, in addition to those of its earlier tracks.
    mutating func setUp(_ session: Session, _ destinations: [SocketAddress]) {
        clients[session, default: Client()].destinations += destinations
    }

    /// A session has ended.
    mutating func ended(_ session: Session) {
        forget(session)
        clients[session] = nil
    }

    /// A PLAY was answered. From now on a datagram may correct the session's ports, or one has done so just before.
    mutating func started(_ session: Session, at now: MonotonicTime) {
        forget(session)
        guard let client = clients[session], let host = client.destinations.first?.with(port: 0) else { return }
        clients[session]?.startedAt = now
        guard !client.isLatched else { return }
        unlatched[host, default: []].append(session)
        pending += early.take(of: host, at: now).map { ($0.source, $0.port) }
    }

    /// A datagram has come from an expected port.
    mutating func confirmed(_ session: Session, on port: UDPPort) {
        guard let client = clients[session], !client.isLatched else { return }
        // A port that arrives as negotiated shows that there is no NAT in between; a corrected one shows nothing.
        clients[session]?.latched = client.latched.isEmpty ? Set(UDPPort.allCases) : client.latched.union([port])
    }

    /// A datagram has come from an unknown port.
    mutating func received(from source: SocketAddress, on port: UDPPort) {
        pending.append((source, port))
    }

    /// An order was carried out.
    mutating func moved(_ session: Session, to destinations: [SocketAddress], by port: UDPPort) {
        clients[session]?.latched.insert(port)
        clients[session]?.destinations = destinations
    }

    /// The next order; `nil` if there are no more.
    mutating func nextOrder(at now: MonotonicTime) -> Order? {
        while !pending.isEmpty {
            let datagram = pending.removeFirst()
            if let order = order(for: datagram.source, datagram.port, at: now) { return order }
        }
        return nil
    }

    private mutating func order(for source: SocketAddress, _ port: UDPPort, at now: MonotonicTime) -> Order? {
        let host = source.with(port: 0)
        let candidates = candidates(of: host, at: now)
        guard !candidates.isEmpty else {
            early.add(source, port, at: now)
            return nil
        }
        guard candidates.count == 1, let session = candidates.first, let client = clients[session],
            !client.latched.contains(port)
        else { return nil }
        let destinations = client.destinations(with: source, of: port)
        return destinations.isEmpty ? nil : Order(session: session, destinations: destinations, port: port)
    }

    /// The sessions of `host` that may be latched. Those that may not any more are removed first.
    private mutating func candidates(of host: SocketAddress, at now: MonotonicTime) -> [Session] {
        guard let all = unlatched[host] else { return [] }
        let rest = all.filter { session in
            guard let client = clients[session], let start = client.startedAt else { return false }
            return !client.isLatched && now - start <= Self.window
        }
        unlatched[host] = rest.isEmpty ? nil : rest
        return rest
    }

    private mutating func forget(_ session: Session) {
        guard let host = clients[session]?.destinations.first?.with(port: 0), var others = unlatched[host] else {
            return
        }
        others.removeAll { $0 == session }
        unlatched[host] = others.isEmpty ? nil : others
    }
}

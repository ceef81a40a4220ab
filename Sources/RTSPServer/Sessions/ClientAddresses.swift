import Delivery
import Media
import RTSP
import Reactor

/// The addresses to which a loop sends over UDP, each reserved for one session, and what is learnt about them from the clients'
/// datagrams. Confined to the loop.
final class ClientAddresses {
    private let registry: Registry
    private var sessions: [SessionID: (session: ViewerSession, destinations: [SocketAddress])] = [:]
    private var bySource: [SocketAddress: ViewerSession] = [:]
    private var latching = NATLatching<SessionID>()

    init(_ registry: Registry) {
        self.registry = registry
    }

    /// Reserves addresses for a session; false if another session has one of them.
    func reserve(_ destinations: [SocketAddress]) -> Bool { registry.take(destinations) }

    /// Releases addresses that were reserved and then not used.
    func release(_ destinations: [SocketAddress]) { registry.release(destinations) }

    /// Uses reserved addresses for a session.
    func add(_ destinations: [SocketAddress], to session: ViewerSession) {
        guard !destinations.isEmpty else { return }
        sessions[session.id, default: (session, [])].destinations += destinations
        latching.setUp(session.id, destinations)
        for destination in destinations { bySource[destination] = session }
    }

    /// Releases the addresses of a session that has ended.
    func remove(_ session: ViewerSession) {
        guard let (_, destinations) = sessions.removeValue(forKey: session.id) else { return }
        latching.ended(session.id)
        for destination in destinations { bySource[destination] = nil }
        registry.release(destinations)
    }

    /// The session whose client has this address.
    func session(at source: SocketAddress) -> ViewerSession? { bySource[source] }

    /// A PLAY was answered.
    func started(_ session: ViewerSession, at now: MonotonicTime) {
        guard sessions[session.id] != nil else { return }
        latching.started(session.id, at: now)
        carryOutOrders(at: now)
    }

    /// The client of a session has sent a datagram from its expected address.
    func confirmed(_ session: ViewerSession, on port: UDPPort) {
        latching.confirmed(session.id, on: port)
    }

    /// A datagram has come from an address that no session has.
    func receivedFromUnknown(_ source: SocketAddress, on port: UDPPort, at now: MonotonicTime) {
        latching.received(from: source, on: port)
        carryOutOrders(at: now)
    }

    private func carryOutOrders(at now: MonotonicTime) {
        while let order = latching.nextOrder(at: now) {
            guard let (session, former) = sessions[order.session],
                let moved = order.destinations.first(where: { registry.exchange(former, for: $0) })
            else { continue }
            latching.moved(order.session, to: moved, by: order.port)
            for destination in former { bySource[destination] = nil }
            sessions[order.session]?.destinations = moved
            for destination in moved { bySource[destination] = session }
            for case .udp(let route)? in session.viewer.tracks.map({ $0?.transport }) {
                route.move(toPort: moved[UDPPort.rtp.rawValue].port, reportPort: moved[UDPPort.rtcp.rawValue].port)
            }
        }
    }
}

import Delivery
import Media
import RTSP
import Reactor

/// The UDP addresses of publishers: finds the track that a datagram belongs to. Loop thread only.
///
/// All publishers of a loop send to the same two ports. Before NAT has changed a client's ports, they are those of its SETUP.
/// Afterwards a packet is recognised by its host and its payload type, and with SRTP by its key, once for each track.
final class PublisherAddresses {
    /// The track that sends from an address.
    struct Place {
        let session: PublisherSession
        let track: Int
        let port: UDPPort
    }

    private let registry: Registry
    private var places: [SocketAddress: Place] = [:]
    /// The sessions of each host that have a track whose port no packet has confirmed yet.
    private var unlatched: [SocketAddress: [PublisherSession]] = [:]

    init(_ registry: Registry) {
        self.registry = registry
    }

    /// Reserves the addresses of a track; false if another session has one of them.
    func reserve(_ addresses: [SocketAddress]) -> Bool { registry.take(addresses) }

    func release(_ addresses: [SocketAddress]) { registry.release(addresses) }

    /// Uses reserved addresses, RTP and RTCP, for a track of a session.
    func add(_ addresses: [SocketAddress], to session: PublisherSession, track: Int) {
        for (address, port) in zip(addresses, UDPPort.allCases) {
            places[address] = Place(session: session, track: track, port: port)
        }
        guard let host = addresses.first?.with(port: 0) else { return }
        if !unlatched[host, default: []].contains(where: { $0 === session }) {
            unlatched[host, default: []].append(session)
        }
    }

    /// Releases the addresses of a session that has ended.
    func remove(_ session: PublisherSession) {
        guard session.usesUDP else { return }
        let addresses = places.filter { $0.value.session === session }.map(\.key)
        for address in addresses {
            places[address] = nil
            let host = address.with(port: 0)
            unlatched[host]?.removeAll { $0 === session }
            if unlatched[host]?.isEmpty == true { unlatched[host] = nil }
        }
        registry.release(addresses)
    }

    /// The track that sends from this address; `nil` if there is none.
    func place(of source: SocketAddress) -> Place? { places[source] }

    /// The track of a packet from an unknown address, which is that of the track from now on; `nil` if there is none.
    func latch(_ source: SocketAddress, by packet: RawSpan) -> Place? {
        guard let sessions = unlatched[source.with(port: 0)] else { return nil }
        var found: [(PublisherSession, track: Int)] = []
        for session in sessions {
            if let track = session.unlatchedTrack(of: packet) { found.append((session, track)) }
        }
        // Without SRTP, two publishers behind one NAT with the same payload type cannot be told apart.
        guard found.count == 1, let (session, track) = found.first,
            case .udp(let route) = session.tracks[track].route,
            registry.exchange([route.destination], for: [source])
        else { return nil }
        places[route.destination] = nil
        route.move(toPort: source.port, reportPort: route.reportDestination.port)
        let place = Place(session: session, track: track, port: .rtp)
        places[source] = place
        return place
    }
}

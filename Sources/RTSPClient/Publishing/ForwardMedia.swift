import Connecting
import Delivery
import Media
import RTP
import RTSP
import Reactor

/// The transport of one track to a server. Confined to the loop.
///
/// Over UDP each track has its own pair of sockets, because servers know the tracks of a publisher by the addresses that they come
/// from.
final class ForwardMedia {
    /// What SETUP asks for.
    let offer: Transport
    /// The sockets; `nil` over TCP.
    let ports: UDPPorts?
    private let tokens: [Token]
    /// What the server has accepted; `nil` before it has.
    private(set) var transport: ViewerTrack.TrackTransport?

    /// The ports below Linux's range for outgoing connections, which starts at 32 768.
    private static let portRange: ClosedRange<UInt16> = 16_384...32_767

    /// Opens what the track needs.
    ///
    /// - Parameters:
    ///   - index: that of the track in the description.
    init(
        _ index: Int, over transport: SessionTransport, in surroundings: OutgoingSurroundings, usesGSO: Bool
    ) throws(SystemError) {
        guard transport == .udp else {
            var offer = Transport(.tcp, .unicast)
            offer.interleaved = ChannelPair(number: index)
            (self.offer, ports, tokens) = (offer, nil, [])
            return
        }
        // From a random start, so that tracks do not try each other's ports one by one.
        let first = UInt16.random(in: Self.portRange.lowerBound..<Self.portRange.upperBound - 4_096)
        let pair = try Reactor.RTPSocketPair.bind(evenIn: first...Self.portRange.upperBound)
        let ports = UDPPorts(pair: pair, usesGSO: usesGSO)
        var offer = Transport(.udp, .unicast)
        offer.clientPorts = RTSP.PortPair(rtp: ports.pair.port)
        let tokens = [surroundings.newToken(1 + 2 * index), surroundings.newToken(2 + 2 * index)]
        try surroundings.place.watch(ports.pair.rtp.fd, .read, as: tokens[0])
        try surroundings.place.watch(ports.pair.rtcp.fd, .read, as: tokens[1])
        (self.offer, self.ports, self.tokens) = (offer, ports, tokens)
    }

    /// The server has answered SETUP.
    ///
    /// - Parameters:
    ///   - server: the address of its connection. Media goes there, and not to `source`, which may be behind NAT, or an address that
    ///     the server wants to harm.
    ///   - local: this end of the connection.
    /// - Returns: why the answer cannot be used; `nil` if it can.
    func accept(_ answer: Transport, of server: SocketAddress, local: SocketAddress?) -> SessionFailure? {
        guard let ports else {
            // Some servers leave out `/TCP`, and mean it; and the channels may be others.
            guard
                let channels = answer.lowerTransport == .tcp
                    ? answer.interleaved ?? offer.interleaved : answer.interleaved
            else { return SessionFailure(ClientSessionEnd.closed(.otherTransport)) }
            transport = .interleaved(channel: channels.rtp, reportChannel: channels.rtcp)
            return nil
        }
        guard answer.lowerTransport == .udp, answer.delivery == .unicast else {
            return SessionFailure(ClientSessionEnd.closed(.otherTransport))
        }
        guard let remote = answer.serverPorts, remote.rtp > 0 else { return .unreachablePorts }
        guard server.family == .ipv4 || ports.pair.rtp.family == .ipv6 else { return .unreachablePorts }
        transport = .udp(
            UDPRoute(
                destination: server.with(port: remote.rtp), reportDestination: server.with(port: remote.rtcp),
                source: local?.family == server.family ? local : nil, ports: ports))
        return nil
    }

    /// Whether the server's reports come on `channel`.
    func takesReports(on channel: UInt8) -> Bool {
        if case .interleaved(_, channel) = transport { true } else { false }
    }

    /// Passes reports that have come to `handle`. What comes to the RTP port is discarded.
    func receive(isReport: Bool, into datagrams: inout ReceivedDatagrams, _ handle: (RawSpan) -> Void) {
        guard let ports else { return }
        let outcome = isReport ? datagrams.receive(from: ports.pair.rtcp) : datagrams.receive(from: ports.pair.rtp)
        guard isReport, case .bytes = outcome, case .udp(let route) = transport else { return }
        for index in 0..<datagrams.count {
            guard let datagram = datagrams[index], datagram.source == route.reportDestination else { continue }
            handle(datagram.bytes.bytes)
        }
    }

    func retryIfBlocked() {
        if ports?.isBlocked == true { ports?.becameWritable() }
    }

    func close(in surroundings: OutgoingSurroundings) {
        for token in tokens { surroundings.forget(token) }
        guard let ports else { return }
        surroundings.place.unwatch(ports.pair.rtp.fd)
        surroundings.place.unwatch(ports.pair.rtcp.fd)
    }
}

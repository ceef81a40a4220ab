import RTP

/// From what a client offers in SETUP to what this server can serve, in the client's order (RFC 2326, section 12.39).
enum TransportChoice {
    /// - Parameters:
    ///   - form: what the client wants to be sent.
    ///   - peer: the only address that media may go to.
    ///   - security: who else may read what the connection carries, and so may read its media.
    ///   - channels: those in use on the connection.
    /// - Throws: 400 without a Transport header, 403 (``SATIP``: 461) if media should only go elsewhere, 461 if nothing
    ///   suits: VLC and ffmpeg then try another transport.
    static func offers(
        in headers: Headers, for form: StreamForm, peer: Endpoint, security: ConnectionSecurity, channels: ChannelTable
    ) throws(Refusal) -> [TransportOffer] {
        let values = headers.values(of: .transport)
        guard !values.isEmpty else { throw Refusal(.badRequest, reason: "Transport Missing") }
        let transports = values.flatMap(Transport.list).filter { $0.profile == "RTP/AVP" && $0.mode != .record }
        let own = transports.filter { isOwn($0, for: form, peer: peer) }
        if own.isEmpty, !transports.isEmpty { throw form.foreignDestination }
        let offers = own.compactMap { offer($0, channels: channels) }
        guard !offers.isEmpty else { throw form.unservedTransport }
        let protected = offers.filter { $0.isProtected(on: security) }
        guard !protected.isEmpty else { throw .mediaInTheClear }
        return protected
    }

    /// A `destination` turns the server on someone else; in multicast the server chooses the group anyway.
    private static func isOwn(_ transport: Transport, for form: StreamForm, peer: Endpoint) -> Bool {
        guard transport.delivery == .unicast, let destination = transport.destination else { return true }
        let address = destination.utf8.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
        return form.mediaAddresses(of: peer).contains(where: String(decoding: address, as: UTF8.self).isSame)
    }

    private static func offer(_ transport: Transport, channels: ChannelTable) -> TransportOffer? {
        switch (transport.lowerTransport, transport.delivery) {
        case (.udp, .unicast):
            guard let ports = transport.clientPorts, ports.rtp != 0, ports.rtcp != 0, ports.rtp != ports.rtcp else {
                return nil
            }
            return .udp(clientPorts: ports)
        case (.udp, .multicast): return .multicast
        case (.tcp, .unicast):
            guard let pair = transport.interleaved ?? channels.firstFreePair, channels.isFree(pair) else { return nil }
            return .interleaved(pair)
        case (.tcp, .multicast): return nil
        }
    }
}

extension TransportOffer {
    /// Whether media that travels so is read by no more people than the connection: who asks for TLS wants that of media most.
    fileprivate func isProtected(on security: ConnectionSecurity) -> Bool {
        switch (security, self) {
        case (.clear, _), (.tls, .interleaved): true
        case (.tls, .udp), (.tls, .multicast): false
        }
    }
}

extension Refusal {
    /// What answers a client inside TLS that would have its media outside: ffmpeg and GStreamer then try TCP.
    static let mediaInTheClear = Refusal(
        .unsupportedTransport,
        reason: "Unsupported Transport: over UDP media is in the clear, inside TLS use RTP/AVP/TCP")
}

extension TransportAnswer {
    /// The one specification of the reply, as SETUP's offer was meant.
    var transport: Transport {
        switch self {
        case .udp(let clientPorts, let serverPorts, let ssrc, let source):
            var transport = Transport(.udp, .unicast)
            transport.source = source
            transport.clientPorts = clientPorts
            transport.serverPorts = serverPorts
            transport.ssrc = ssrc
            return transport
        case .interleaved(let channels, let ssrc):
            var transport = Transport(.tcp, .unicast)
            transport.interleaved = channels
            transport.ssrc = ssrc
            return transport
        case .multicast(let group, let ports, let timeToLive, let ssrc):
            var transport = Transport(.udp, .multicast)
            transport.destination = group
            transport.ports = ports
            transport.timeToLive = timeToLive
            transport.ssrc = ssrc
            return transport
        }
    }
}

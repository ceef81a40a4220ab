import RTP

/// Selects the transports of a SETUP that this server supports, in the client's order (RFC 2326, section 12.39).
enum TransportChoice {
    /// The protection that media needs. SRTP needs TLS, because the RTSP connection carries its keys.
    enum Protection {
        /// None: the client connected without TLS.
        case none
        /// Interleaved inside the TLS connection.
        case connection
        /// Interleaved inside the TLS connection, or SRTP.
        case connectionOrSRTP

        fileprivate func admits(_ profile: MediaProfile) -> Bool { !profile.isSecure || self == .connectionOrSRTP }

        /// Whether the transport protects media as well as the connection: a client that uses TLS wants its media encrypted.
        fileprivate func covers(_ offer: TransportOffer) -> Bool {
            switch offer {
            case .interleaved: true
            case .udp(_, let profile): profile.isSecure || self == .none
            case .multicast: self == .none
            }
        }
    }

    /// - Parameters:
    ///   - encapsulation: the requested encapsulation.
    ///   - peer: the only address to which media may be sent.
    ///   - channels: the channels in use on the connection.
    ///   - maximumCount: the maximum number of offers; later ones are ignored.
    /// - Throws: 400 without a Transport header, 403 (``SATIP``: 461) if all destinations are other hosts, 461 if no transport is
    ///   supported. VLC and ffmpeg then try another transport.
    static func offers(
        in headers: Headers, for encapsulation: RTPEncapsulation, peer: Endpoint, protection: Protection,
        channels: ChannelTable,
        maximumCount: Int
    ) throws(Refusal) -> [TransportOffer] {
        let transports = try transports(in: headers).filter { transport in
            transport.mode != .record
                && MediaProfile(rawValue: transport.profile).map(protection.admits) == true
        }
        let own = transports.filter { isOwn($0, for: encapsulation, peer: peer) }
        if own.isEmpty, !transports.isEmpty { throw encapsulation.foreignDestination }
        let offers = own.compactMap { offer($0, channels: channels) }
        guard !offers.isEmpty else { throw encapsulation.unservedTransport }
        let protected = offers.filter(protection.covers)
        guard !protected.isEmpty else { throw .mediaInTheClear(protection) }
        return Array(protected.prefix(maximumCount))
    }

    /// The transports for a track that a client publishes. It sends the media, so any `destination` is ignored.
    ///
    /// - Throws: 400 without a Transport header, 461 if no transport is supported. ffmpeg then tries TCP, GStreamer another profile.
    static func publisherOffers(
        in headers: Headers, protection: Protection, channels: ChannelTable, maximumCount: Int
    ) throws(Refusal) -> [TransportOffer] {
        // Clients that have announced a stream only ever record, also RootEncoder's forks that leave the mode out.
        let offers = try transports(in: headers).filter { $0.delivery == .unicast }
            .compactMap { offer($0, channels: channels) }
        guard !offers.isEmpty else { throw RTPEncapsulation.tracks.unservedTransport }
        let admitted = offers.filter { protection.admits($0.profile) }
        guard !admitted.isEmpty else { throw .srtpUnavailable(protection) }
        let protected = admitted.filter(protection.covers)
        guard !protected.isEmpty else { throw .mediaInTheClear(protection) }
        return Array(protected.prefix(maximumCount))
    }

    private static func transports(in headers: Headers) throws(Refusal) -> [Transport] {
        let values = headers.values(of: .transport)
        guard !values.isEmpty else { throw Refusal(.badRequest, reason: "Transport Missing") }
        return values.flatMap(Transport.list)
    }

    /// Whether media would go to the client itself. Another unicast `destination` could be used to attack a host; for multicast
    /// the server chooses the group itself.
    private static func isOwn(_ transport: Transport, for encapsulation: RTPEncapsulation, peer: Endpoint) -> Bool {
        guard transport.delivery == .unicast, let destination = transport.destination else { return true }
        let address = destination.utf8.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
        return encapsulation.mediaAddresses(of: peer).contains(
            where: String(decoding: address, as: UTF8.self).equalsIgnoringCase)
    }

    private static func offer(_ transport: Transport, channels: ChannelTable) -> TransportOffer? {
        guard let profile = MediaProfile(rawValue: transport.profile) else { return nil }
        switch (transport.lowerTransport, transport.delivery) {
        case (.udp, .unicast):
            guard let ports = transport.clientPorts, ports.rtp != 0, ports.rtcp != 0, ports.rtp != ports.rtcp else {
                return nil
            }
            return .udp(clientPorts: ports, profile)
        // Multicast groups are not encrypted.
        case (.udp, .multicast): return profile.isSecure ? nil : .multicast(profile)
        case (.tcp, .unicast):
            guard let pair = transport.interleaved ?? channels.firstFreePair, channels.isFree(pair) else { return nil }
            return .interleaved(pair, profile)
        case (.tcp, .multicast): return nil
        }
    }
}

extension TransportOffer {
    public var profile: MediaProfile {
        switch self {
        case .udp(_, let profile), .interleaved(_, let profile), .multicast(let profile): profile
        }
    }
}

extension Refusal {
    /// The refusal of unencrypted media for a client inside TLS. ffmpeg and GStreamer then try TCP.
    static func mediaInTheClear(_ protection: TransportChoice.Protection) -> Self {
        let ways = protection == .connectionOrSRTP ? "RTP/SAVP or RTP/AVP/TCP" : "RTP/AVP/TCP"
        return Refusal(
            .unsupportedTransport,
            reason: "Unsupported Transport: media over UDP would be unencrypted, inside TLS use \(ways)")
    }
}

extension Refusal {
    /// The refusal of SRTP for a publisher on a connection that does not carry its keys, or if SRTP is turned off.
    static func srtpUnavailable(_ protection: TransportChoice.Protection) -> Self {
        let reason =
            switch protection {
            case .none: "SRTP needs rtsps://, because RTSP carries its keys"
            case .connection, .connectionOrSRTP: "SRTP is off, inside TLS use RTP/AVP/TCP"
            }
        return Refusal(.unsupportedTransport, reason: "Unsupported Transport: \(reason)")
    }
}

extension TransportAnswer {
    /// The transport specification of the response.
    var transport: Transport {
        switch self {
        case .udp(let clientPorts, let serverPorts, let ssrc, let source, let profile):
            var transport = Transport(.udp, .unicast)
            transport.profile = profile.rawValue
            transport.source = source
            transport.clientPorts = clientPorts
            transport.serverPorts = serverPorts
            transport.ssrc = ssrc
            return transport
        case .interleaved(let channels, let ssrc, let profile):
            var transport = Transport(.tcp, .unicast)
            transport.profile = profile.rawValue
            transport.interleaved = channels
            transport.ssrc = ssrc
            return transport
        case .multicast(let group, let ports, let timeToLive, let ssrc, let profile):
            var transport = Transport(.udp, .multicast)
            transport.profile = profile.rawValue
            transport.destination = group
            transport.ports = ports
            transport.timeToLive = timeToLive
            transport.ssrc = ssrc
            return transport
        }
    }
}

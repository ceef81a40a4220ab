import RTP

/// The differences between the encapsulations in the handling of SETUP.
extension RTPEncapsulation {
    /// The addresses to which media of a connection from `peer` may go.
    func mediaAddresses(of peer: Endpoint) -> [String] {
        switch self {
        case .tracks: [peer.address]
        case .transportStream: [peer.address, SATIP.mediaAddress(forPeer: peer.address)].compactMap(\.self)
        }
    }

    /// The refusal for a client that requests media only for other hosts.
    var foreignDestination: Refusal {
        switch self {
        case .tracks: Refusal(.forbidden, reason: "Destination Is Not The Client")
        case .transportStream:
            Refusal(.unsupportedTransport, reason: "Unsupported Transport: destination is not the client")
        }
    }

    /// The refusal for a client that offers no supported transport.
    var unservedTransport: Refusal {
        switch self {
        case .tracks: Refusal(.unsupportedTransport)
        case .transportStream:
            Refusal(
                .unsupportedTransport,
                reason: "Unsupported Transport: use RTP/AVP;unicast;client_port=A-B with two ports above 0")
        }
    }

    /// Checks whether a request for `url` is possible with this encapsulation.
    ///
    /// - Throws: 400 for a literal IPv6 address without brackets, which only the SAT>IP client writes, and for tuner parameters.
    func admit(_ url: RequestURL) throws(Refusal) {
        switch self {
        case .tracks:
            guard !url.hasBareIPv6Host else { throw Refusal(.badRequest, reason: "Bad Request URL") }
        case .transportStream:
            guard let parameter = TunerParameters.first(in: url.query) else { return }
            throw Refusal(
                .badRequest, reason: "Bad Request: this server is not a tuner and does not support \(parameter)")
        }
    }
}

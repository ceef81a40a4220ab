import RTP

/// What differs between the two forms when a SETUP is refused.
extension RTPEncapsulation {
    /// The addresses to which media of a connection from `peer` may go.
    func mediaAddresses(of peer: Endpoint) -> [String] {
        switch self {
        case .tracks: [peer.address]
        case .transportStream: [peer.address, SATIP.mediaAddress(forPeer: peer.address)].compactMap(\.self)
        }
    }

    /// What answers a client whose media should only go to someone else.
    var foreignDestination: Refusal {
        switch self {
        case .tracks: Refusal(.forbidden, reason: "Destination Is Not The Client")
        case .transportStream:
            Refusal(.unsupportedTransport, reason: "Unsupported Transport: destination is not the client")
        }
    }

    /// What answers a client none of whose transports is served.
    var unservedTransport: Refusal {
        switch self {
        case .tracks: Refusal(.unsupportedTransport)
        case .transportStream:
            Refusal(
                .unsupportedTransport,
                reason: "Unsupported Transport: RTP/AVP;unicast;client_port=A-B with two ports above 0 is served")
        }
    }

    /// Whether a request at `url` may be served in this form.
    ///
    /// - Throws: 400 for a literal IPv6 address without brackets, which only SAT>IP's client writes, and for what only a
    ///   tuner could do.
    func admit(_ url: RequestURL) throws(Refusal) {
        switch self {
        case .tracks:
            guard !url.hasBareIPv6Host else { throw Refusal(.badRequest, reason: "Bad Request URL") }
        case .transportStream:
            guard let parameter = TunerParameters.first(in: url.query) else { return }
            throw Refusal(.badRequest, reason: "Bad Request: \(parameter) is for tuners, this is no tuner")
        }
    }
}

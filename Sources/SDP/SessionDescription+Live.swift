import Media

extension SessionDescription {
    /// Where a live stream is sent.
    public enum LiveConnection: Hashable, Sendable {
        /// RTSP's SETUP will say: `c=` is 0.0.0.0 or ::, ports are 0.
        case unspecified(ipVersion: IPVersion)
        /// To a group, with one even port per track in the tracks' order (0 where there are too few).
        /// The time to live is said for IPv4 only.
        case multicast(group: String, timeToLive: UInt8, ports: [UInt16])
    }

    /// The description of a live stream: payload types 96, 97 … and controls `track1`, `track2` … in the order of
    /// the tracks.
    ///
    /// - Parameters:
    ///   - originVersion: must grow whenever the description changes.
    ///   - originAddress: the server's, IPv4 or IPv6 literal.
    ///   - controls: whether RTSP serves this description. A description that is watched from a file, without RTSP,
    ///     has neither `a=control` nor `a=range`.
    ///   - avpf: whether viewers may send NACK, PLI and FIR at once (RFC 4585); live555 refuses such a description.
    ///   - extensions: what the packets of all tracks have in their headers.
    ///   - keys: for each track, the value of `key-mgmt` (RFC 4567) that brings its key; then all are sent by SRTP, to who asks for it.
    public static func live(
        title: String, description: String?, tracks: [Track], connection: LiveConnection, originSessionID: UInt64,
        originVersion: UInt64, originAddress: String, controls: Bool, avpf: Bool, extensions: [ExtensionMap] = [],
        keys: [String]? = nil
    ) -> SessionDescription {
        let originIPVersion = IPVersion(ofLiteral: originAddress)
        return SessionDescription(
            origin: Origin(
                sessionID: originSessionID, version: originVersion, ipVersion: originIPVersion, address: originAddress),
            name: title, information: description, connection: connection.line,
            attributes: [Attribute("tool", "Apus"), Attribute("type", "broadcast")]
                + (controls
                    ? [Attribute("control", "*"), Attribute("range", "npt=now-")] : [Attribute("recvonly")]),
            // Payload types end at 127: more tracks than that cannot be told apart.
            media: tracks.prefix(32).enumerated().map { index, track in
                MediaDescription(
                    track, index: index, port: connection.port(at: index),
                    control: controls ? "track\(index + 1)" : nil,
                    avpf: avpf, extensions: extensions,
                    key: keys.flatMap { $0.indices.contains(index) ? $0[index] : nil })
            })
    }
}

extension MediaDescription {
    fileprivate init(
        _ track: Track, index: Int, port: UInt16, control: String?, avpf: Bool, extensions: [ExtensionMap],
        key: String?
    ) {
        let mapping = TrackMapping(payloadType: TrackMapping.firstPayloadType + UInt8(index), track: track)
        let type = mapping.payloadType
        var attributes = [
            Attribute("rtpmap", mapping.rtpMap.value), Attribute("fmtp", "\(type) \(mapping.formatParameters.text)"),
        ]
        if avpf, track.kind == .video {
            attributes += ["nack", "nack pli", "ccm fir"].map { Attribute("rtcp-fb", "\(type) \($0)") }
        }
        attributes += extensions.map(\.attribute)
        if let key { attributes.append(Attribute("key-mgmt", key)) }
        if let control { attributes.append(Attribute("control", control)) }
        self.init(
            kind: track.kind == .video ? "video" : "audio", port: port,
            transport: "RTP/\(key == nil ? "" : "S")AVP\(avpf ? "F" : "")",
            formats: ["\(type)"], attributes: attributes)
    }
}

extension SessionDescription.LiveConnection {
    fileprivate var line: SessionDescription.Connection {
        switch self {
        case .unspecified(let ipVersion):
            return .unspecified(ipVersion)
        case .multicast(let group, let timeToLive, _):
            let ipVersion = IPVersion(ofLiteral: group)
            return SessionDescription.Connection(
                ipVersion: ipVersion, address: group, timeToLive: ipVersion == .ipv4 ? timeToLive : nil)
        }
    }

    fileprivate func port(at index: Int) -> UInt16 {
        guard case .multicast(_, _, let ports) = self, ports.indices.contains(index) else { return 0 }
        return ports[index]
    }
}

extension IPVersion {
    /// The version of an address literal: only IPv6 ones hold colons.
    public init(ofLiteral address: String) {
        self = address.utf8.contains(UInt8(ascii: ":")) ? .ipv6 : .ipv4
    }
}

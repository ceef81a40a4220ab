import Media

extension SessionDescription {
    /// The destination of a live stream.
    public enum LiveConnection: Hashable, Sendable {
        /// SETUP negotiates it: `c=` is 0.0.0.0 or ::, and ports are 0.
        case unspecified(ipVersion: IPVersion)
        /// A multicast group, with one even port per track in the order of the tracks (0 for tracks without a port).
        /// The TTL is written for IPv4 only.
        case multicast(group: String, timeToLive: UInt8, ports: [UInt16])
    }

    /// The name of our own attribute. Receivers ignore attributes that they do not know (RFC 8866, section 5.13).
    private static let captureTimeAttribute = "x-apus-capture-time"

    /// How the server has determined the capture times of a stream that it receives; `nil` if it does not say.
    public var captureTimeOrigin: CaptureTimeOrigin? {
        attributes.value(of: Self.captureTimeAttribute).flatMap(CaptureTimeOrigin.init)
    }

    /// The description of a live stream: payload types 96, 97 … and controls `track1`, `track2` … in the order of
    /// the tracks.
    ///
    /// - Parameters:
    ///   - originVersion: must increase with each change of the description.
    ///   - originAddress: the server's IPv4 or IPv6 literal.
    ///   - controls: whether the description is served by RTSP. A description in a file, for use without RTSP, has neither
    ///     `a=control` nor `a=range`.
    ///   - feedback: what receivers may ask for.
    ///   - bandwidths: for each track, the largest bitrate with headers in kbit/s (`b=AS`); empty if unknown. GStreamer derives from
    ///     it how soon it may send feedback: without it, its first six seconds stay without repair.
    ///   - extensions: the header extensions of the packets of all tracks.
    ///   - captureTimeOrigin: how the capture times are determined if the stream is received from elsewhere.
    ///   - keys: for each track, the value of `key-mgmt` (RFC 4567) with its key. With keys, all tracks use SRTP.
    public static func live(
        title: String, description: String?, tracks: [Track], connection: LiveConnection, originSessionID: UInt64,
        originVersion: UInt64, originAddress: String, controls: Bool, feedback: ReceiverFeedback = .none,
        bandwidths: [UInt64] = [], extensions: [ExtensionMap] = [], keys: [String]? = nil,
        captureTimeOrigin: CaptureTimeOrigin? = nil
    ) -> SessionDescription {
        let originIPVersion = IPVersion(ofLiteral: originAddress)
        return SessionDescription(
            origin: Origin(
                sessionID: originSessionID, version: originVersion, ipVersion: originIPVersion, address: originAddress),
            name: title, information: description, connection: connection.line,
            attributes: [Attribute("tool", "Apus"), Attribute("type", "broadcast")]
                + (controls
                    ? [Attribute("control", "*"), Attribute("range", "npt=now-")] : [Attribute("recvonly")])
                + (captureTimeOrigin.map { [Attribute(captureTimeAttribute, $0.rawValue)] } ?? []),
            media: tracks.prefix(TrackID.maximumDescribedCount).enumerated().map { index, track in
                MediaDescription(
                    track, index: index, port: connection.port(at: index),
                    control: controls ? TrackID(index).controlName : nil,
                    feedback: feedback.limited(toTracks: tracks.count),
                    bandwidth: bandwidths.indices.contains(index) ? bandwidths[index] : nil, extensions: extensions,
                    key: keys.flatMap { $0.indices.contains(index) ? $0[index] : nil })
            })
    }
}

extension MediaDescription {
    fileprivate init(
        _ track: Track, index: Int, port: UInt16, control: String?, feedback: ReceiverFeedback, bandwidth: UInt64?,
        extensions: [ExtensionMap], key: String?
    ) {
        let type = TrackID(index).payloadType
        let parameters = FormatParameters(track.format).text
        var attributes = [Attribute("rtpmap", RTPMap(payloadType: type, track).value)]
        if !parameters.isEmpty { attributes.append(Attribute("fmtp", "\(type) \(parameters)")) }
        attributes += feedback.attributes(of: track, TrackID(index))
        attributes += extensions.map(\.attribute)
        if let key { attributes.append(Attribute("key-mgmt", key)) }
        if let control { attributes.append(Attribute("control", control)) }
        self.init(
            kind: track.kind == .video ? "video" : "audio", port: port,
            transport: "RTP/\(key == nil ? "" : "S")AVP\(feedback == .none ? "" : "F")",
            formats: ["\(type)"]
                + (feedback.hasRetransmissionStream ? ["\(TrackID(index).retransmissionPayloadType)"] : []),
            bandwidths: bandwidth.map { [Bandwidth(kind: "AS", value: $0)] } ?? [], attributes: attributes)
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
    /// The version of an address literal; only IPv6 literals contain colons.
    public init(ofLiteral address: String) {
        self = address.utf8.contains(UInt8(ascii: ":")) ? .ipv6 : .ipv4
    }
}

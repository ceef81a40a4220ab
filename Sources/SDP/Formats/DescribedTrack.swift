import Media

/// An RTP stream as a session description, such as a camera's, describes it.
public struct DescribedTrack: Hashable, Sendable {
    public let payloadType: UInt8
    /// The encoding name as written, such as `H264`, `MPEG4-GENERIC` or `PCMA`.
    public let encodingName: String
    public let clockRate: ClockRate
    public let payload: Payload
    /// The URL of the track for SETUP, absolute or relative to the base URL.
    public let control: String?
    /// Whether the sender makes a keyframe on request (RFC 4585, section 4.2: `nack pli`; RFC 5104, section 7.1: `ccm fir`).
    public let takesKeyframeRequests: Bool
    /// Whether the sender sends a lost packet again as it was (`RTP/AVPF`, RFC 4585, section 4.2: `nack`), and not in a stream of its own
    /// (RFC 4588).
    public let repeatsLostPackets: Bool

    public enum Payload: Hashable, Sendable {
        /// A codec whose parameters the description contains.
        case described(Track.Format)
        /// A codec whose parameters are only in the stream.
        case inBand(Codec)
        /// AAC in a LATM multiplex. The description contains its parameters.
        case latm(AAC.StreamMuxConfig)
        /// A format that viewers do not receive, so that it is decoded and encoded again.
        case transcoded(TranscodedFormat)
        /// All tracks in an MPEG transport stream (RFC 2250, section 2), which says what they are.
        case transportStream
        /// A codec that Apus carries, in a form that it does not support. The text names both.
        case unsupported(String)
        /// A payload format, or a mode, that Apus does not support.
        case unknown

        /// `nil` if it is unknown, or no codec that viewers receive.
        public var codec: Codec? {
            switch self {
            case .described(let format): format.codec
            case .inBand(let codec): codec
            case .latm: .aac
            case .transcoded, .transportStream, .unsupported, .unknown: nil
            }
        }
    }

    /// What the track is, for messages: the encoding name, and what is unsupported if it is that.
    public var name: String {
        if case .unsupported(let name) = payload { name } else { encodingName }
    }

    /// The track that a stream announces; `nil` for an unknown payload, and until its parameters are known. Those of a track that is
    /// encoded again are known to its encoder.
    public func track(id: TrackID) -> Track? {
        switch payload {
        case .described(let format): Track(id: id, clockRate: clockRate, format: format)
        case .latm(let configuration):
            Track(id: id, clockRate: clockRate, format: .aac(configuration.configuration))
        case .inBand, .transcoded, .transportStream, .unsupported, .unknown: nil
        }
    }
}

extension MediaDescription {
    /// The described RTP stream; `nil` if the payload type or its clock rate is unknown.
    public var describedTrack: DescribedTrack? {
        guard let map = rtpMap, let hertz = Int32(exactly: map.clockRate), let clockRate = ClockRate(hertz: hertz)
        else {
            return nil
        }
        let payload = payload(of: map)
        // The RTP clock of Opus always has 48 kHz, but some cameras write another rate.
        return DescribedTrack(
            payloadType: map.payloadType, encodingName: map.encodingName,
            clockRate: payload.codec == .opus ? .audio48k : clockRate, payload: payload, control: control,
            takesKeyframeRequests: takesFeedback("nack pli", of: map.payloadType)
                || takesFeedback("ccm fir", of: map.payloadType),
            repeatsLostPackets: transport.uppercased() == "RTP/AVPF" && takesFeedback("nack", of: map.payloadType)
                && !hasRetransmissionStream)
    }

    private var hasRetransmissionStream: Bool {
        attributes.values(of: "rtpmap").contains { $0.lowercased().contains(" rtx/") }
    }

    /// Whether the description offers this feedback for a payload type, or for all (`*`).
    private func takesFeedback(_ feedback: String, of payloadType: UInt8) -> Bool {
        attributes.values(of: "rtcp-fb").contains { $0 == "\(payloadType) \(feedback)" || $0 == "* \(feedback)" }
    }

    /// Whether it is sent in RTP packets. Servers of IPTV also offer transport streams without RTP, as `MP2T/H2221/UDP`.
    private var carriesRTP: Bool {
        let transport = transport.uppercased()
        return transport.hasPrefix("RTP/") || transport.hasPrefix("MP2T/RTP")
    }

    private func payload(of map: RTPMap) -> DescribedTrack.Payload {
        if map.isLATM { return formatParameters.latm }
        if map.isTransportStream { return carriesRTP ? .transportStream : .unknown }
        if let format = transcodedFormat(map) { return .transcoded(format) }
        return map.codec.map { formatParameters.payload(of: $0, map) } ?? .unknown
    }
}

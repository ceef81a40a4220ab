import Media

/// What a description offers the receivers of a live stream: how they may ask for lost packets and keyframes.
public enum ReceiverFeedback: Hashable, Sendable {
    /// Nothing: `RTP/AVP`. live555 refuses descriptions with another profile.
    case none
    /// NACK, PLI and FIR at any time (`RTP/AVPF`, RFC 4585). A lost packet is sent again as it was.
    case retransmission
    /// The same, but a lost packet is sent again in an RTP stream of its own, with another payload type (RFC 4588). Also, the receiver
    /// may tell when packets have arrived (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    case retransmissionStream(measuresTransport: Bool = false)

    /// The same feedback for a stream with `count` tracks: payload types for retransmission are limited.
    func limited(toTracks count: Int) -> Self {
        hasRetransmissionStream && count > TrackID.maximumRetransmittedCount ? .retransmission : self
    }

    /// Whether lost packets are sent again in an RTP stream of their own.
    var hasRetransmissionStream: Bool { if case .retransmissionStream = self { true } else { false } }

    /// The attributes of one track's media description.
    func attributes(of track: Track, _ id: TrackID) -> [Attribute] {
        guard self != .none else { return [] }
        let type = id.payloadType
        let kinds = track.kind == .video ? ["nack", "nack pli", "ccm fir"] : ["nack"]
        let feedback = kinds.map { Attribute("rtcp-fb", "\(type) \($0)") }
        guard case .retransmissionStream(let measuresTransport) = self else { return feedback }
        let retransmission = id.retransmissionPayloadType
        let measurement = measuresTransport ? [Attribute("rtcp-fb", "\(type) transport-cc")] : []
        return feedback + measurement + [
            Attribute("rtpmap", "\(retransmission) rtx/\(track.clockRate.hertz)"),
            Attribute("fmtp", "\(retransmission) apt=\(type);rtx-time=\(Self.retransmissionMilliseconds)"),
        ]
    }

    /// How long a packet can be sent again, in milliseconds (`rtx-time`, RFC 4588, section 8.1).
    public static let retransmissionMilliseconds: Int64 = 1_000
}

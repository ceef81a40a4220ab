import Wire

/// What a datagram of a WebRTC transport contains: several protocols share one 4-tuple, and the first bytes tell them apart (RFC 7983,
/// section 7; RFC 5761, section 4).
public enum DatagramKind: Hashable, Sendable {
    case stun
    case dtls
    case rtp
    case rtcp

    /// `nil` for protocols that Apus does not use (ZRTP, TURN channels, QUIC), and for datagrams without two bytes.
    public init?(_ datagram: RawSpan) {
        guard datagram.byteCount > 1 else { return nil }
        switch datagram.byte(at: 0) {
        case 0...3: self = .stun
        case 20...63: self = .dtls
        case 128...191:
            // RTCP's packet types look like the payload types 64 to 95 with a marker, which are therefore not used.
            self = (192...223).contains(datagram.byte(at: 1)) ? .rtcp : .rtp
        default: return nil
        }
    }
}

/// One transport specification of a `Transport` header: an offer in a request, the choice in a response
/// (RFC 2326, section 12.39).
public struct Transport: Hashable, Sendable {
    public enum LowerTransport: Hashable, Sendable {
        case udp
        case tcp
    }

    public enum Delivery: Hashable, Sendable {
        case unicast
        case multicast
    }

    public enum Mode: Hashable, Sendable {
        case play
        case record
    }

    /// What servers of IPTV write for RTP with an MPEG transport stream. Media is as with `RTP/AVP`.
    static let transportStreamProfile = "MP2T/RTP"

    /// Protocol and profile in upper case: `RTP/AVP`, `RTP/AVPF`, `RTP/SAVP` …
    public var profile = "RTP/AVP"
    public var lowerTransport: LowerTransport
    public var delivery: Delivery
    public var destination: String?
    public var source: String?
    public var interleaved: ChannelPair?
    /// The multicast ports (`port`).
    public var ports: PortPair?
    public var clientPorts: PortPair?
    public var serverPorts: PortPair?
    public var timeToLive: UInt8?
    public var ssrc: UInt32?
    /// The client's purpose; `nil` means play.
    public var mode: Mode?

    public init(_ lowerTransport: LowerTransport, _ delivery: Delivery) {
        self.lowerTransport = lowerTransport
        self.delivery = delivery
    }

    /// Reads all specifications of a header in their order; invalid ones are left out.
    public static func list(_ headerValue: String) -> [Transport] {
        headerValue.pieces(separatedBy: ",").compactMap(Transport.init)
    }
}

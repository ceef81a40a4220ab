/// A transport that the client offers and this server supports.
public enum TransportOffer: Hashable, Sendable {
    case udp(clientPorts: PortPair, MediaProfile = .plain)
    /// Channels that are free on this connection.
    case interleaved(ChannelPair, MediaProfile = .plain)
    case multicast(MediaProfile = .plain)
}

/// The RTP profile of a transport.
public enum MediaProfile: String, Hashable, Sendable {
    /// Unencrypted packets (RFC 3551).
    case plain = "RTP/AVP"
    /// Encrypted and authenticated packets (SRTP, RFC 3711).
    case secure = "RTP/SAVP"
    /// The same as `plain` with early feedback (RFC 4585): the receiver may ask for lost packets and keyframes at any time.
    case plainWithFeedback = "RTP/AVPF"
    /// The same as `secure` with early feedback (RFC 5124).
    case secureWithFeedback = "RTP/SAVPF"

    public var isSecure: Bool { self == .secure || self == .secureWithFeedback }

    /// Whether the receiver of the media may send feedback at any time.
    public var hasFeedback: Bool { self == .plainWithFeedback || self == .secureWithFeedback }
}

/// The server's choice of transport for a track. The SSRC is that of the server; `nil` if the client sends the track.
public enum TransportAnswer: Hashable, Sendable {
    /// - Parameter source: set only if packets come from another address than the one to which the client connected.
    case udp(
        clientPorts: PortPair, serverPorts: PortPair, ssrc: UInt32?, source: String? = nil,
        profile: MediaProfile = .plain)
    case interleaved(ChannelPair, ssrc: UInt32?, profile: MediaProfile = .plain)
    case multicast(
        group: String, ports: PortPair, timeToLive: UInt8, ssrc: UInt32? = nil, profile: MediaProfile = .plain)
}

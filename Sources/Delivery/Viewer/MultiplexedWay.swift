/// How all packets of a viewer reach a client that receives RTP and RTCP of all tracks over one path (RFC 8843, RFC 5761).
public enum MultiplexedWay {
    /// In datagrams.
    case udp(UDPRoute)
    /// In frames of a connection (RFC 4571).
    case framed(TCPOutput)

    /// The connection; `nil` over UDP.
    public var output: TCPOutput? { if case .framed(let output) = self { output } else { nil } }

    /// The route of the datagrams; `nil` over a connection.
    public var route: UDPRoute? { if case .udp(let route) = self { route } else { nil } }

    /// How each track is sent.
    public var transport: ViewerTrack.TrackTransport {
        switch self {
        case .udp(let route): .udp(route)
        case .framed: .framed
        }
    }
}

import RTP
import Streams

/// The options of one path.
public struct PathOptions: Hashable, Sendable {
    /// `s=` of its session description.
    public var title: String
    /// Whether the configuration sets no title. Then a publisher's title is used.
    public var hasDefaultTitle = false
    /// `i=` of its session description.
    public var description: String?
    /// Separated by commas. RTSP has no place for them.
    public var keywords = ""
    /// The path of which it is a substream.
    public var parent: String?
    public var join = JoinOptions()
    /// The header extensions of each RTP packet.
    public var headerExtensions = HeaderExtensionLayout.none
    /// The multicast group with one RTP stream per track; `nil` without multicast.
    public var multicast: MulticastOptions?
    /// The multicast group that gets MPEG-TS in RTP (RFC 2250) at one port; `nil` without it.
    public var multicastTransportStream: MulticastOptions?

    public init(title: String) {
        self.title = title
    }

    /// The multicast group for this encapsulation, if any.
    func multicast(of encapsulation: RTPEncapsulation) -> MulticastOptions? {
        switch encapsulation {
        case .tracks: multicast
        case .transportStream: multicastTransportStream
        }
    }
}

/// The multicast group of a path.
public struct MulticastOptions: Hashable, Sendable {
    /// IPv4 or IPv6 address of the group.
    public var group: String
    /// RTP port of the first track, even. RTCP uses the next port, and further tracks the next pairs.
    public var port: UInt16
    /// The number of links that packets may pass: 1 stays on the local link.
    public var timeToLive: UInt8
    /// Address of the interface to send by; `nil` for that of the route.
    public var interface: String?
    /// Whether it is sent even if no client asks over RTSP, for players that open an `.sdp` file.
    public var isAlwaysOn: Bool
    /// The header extensions of each RTP packet.
    public var headerExtensions: HeaderExtensionLayout

    public init(
        group: String, port: UInt16, timeToLive: UInt8 = 1, interface: String? = nil, isAlwaysOn: Bool = false,
        headerExtensions: HeaderExtensionLayout = .none
    ) {
        self.isAlwaysOn = isAlwaysOn
        self.headerExtensions = headerExtensions
        self.group = group
        self.port = port
        self.timeToLive = timeToLive
        self.interface = interface
    }
}

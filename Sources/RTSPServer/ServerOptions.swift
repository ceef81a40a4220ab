import Delivery
import RTP
import RTSP

/// What the RTSP server is configured with. Every value has the default that the configuration documents.
public struct ServerOptions: Sendable {
    /// TCP port for those who come in the clear.
    public var port: UInt16 = 8554
    /// Whether clients come through TLS, and where.
    public var encryption = Encryption.no
    /// The one address to listen at, numeric; all addresses where `nil`.
    public var address: String?
    /// Event loops; viewers are spread over them.
    public var loopCount = 1
    /// Where each loop takes a pair of UDP ports from.
    public var udpPorts: ClosedRange<UInt16> = 6970...7169
    /// Sessions that may exist at once.
    public var maximumViewers = 4_096
    public var connectionLimits = ConnectionLimits()
    /// Bytes of all preludes that viewers hold.
    public var maximumFastStartByteCount = 64_000_000
    /// Bytes of replies that may wait for a client before its requests wait too.
    public var maximumPendingReplyBytes = 65_536
    /// Bytes that TCP may hold unsent: what is more stays in the ring, where it can still be dropped.
    public var unsentBytes: Int32 = 16_384
    /// Client addresses per loop that may have a UDP socket of their own, because a slow device holds the shared one's buffer.
    public var maximumSeparateSocketsPerLoop = 512
    /// Differentiated-services code point of media packets; `nil` leaves them unmarked.
    public var codePoint: UInt8?
    /// Milliseconds that a PLAY reply waits for the first unit, so that RTP-Info can tell its time.
    public var playReplyMilliseconds: Int64 = 250
    /// Milliseconds that a DESCRIBE waits for a source that has just started.
    public var describeMilliseconds: Int64 = 3_000
    public var connection = ServerConnection.Configuration()
    /// Who may do what; `nil` where everybody may do everything.
    public var access: AccessPolicy?
    /// Who decides about clients, where `access` does not.
    public var authoriser: (any ExternalAuthoriser)?
    public var delivery = DeliveryLoop.Options()

    public init() {}
}

/// How many connections there may be at once.
public struct ConnectionLimits: Hashable, Sendable {
    /// Of all clients, loopback included.
    public var total = 8192
    /// Of one address; loopback is exempt.
    public var perAddress = 64
    /// Of one IPv6 network (/64); loopback is exempt.
    public var perNetwork = 256
    /// With a TLS handshake that is not complete, of all clients, loopback included.
    public var unfinishedHandshakes = 512

    public init() {}
}

/// What one path adds.
public struct PathOptions: Hashable, Sendable {
    /// `s=` of its session description.
    public var title: String
    /// `i=` of its session description.
    public var description: String?
    public var join = JoinOptions()
    /// Whether each RTP packet tells when it was captured (`AbsoluteCaptureTime`).
    public var sendsAbsoluteCaptureTime = false
    /// Bytes that it adds to each packet.
    public static let captureByteCount = AbsoluteCaptureTime.byteCount
    /// Where it is also sent, once for all who ask for it; `nil` where multicast is off.
    public var multicast: MulticastOptions?
    /// Where it is also sent as MPEG-TS in RTP (RFC 2250), to one port; `nil` where it is not.
    public var multicastTransportStream: MulticastOptions?

    public init(title: String) {
        self.title = title
    }

    /// Where it is also sent in that form; `nil` where it is not.
    func multicast(of encapsulation: RTPEncapsulation) -> MulticastOptions? {
        switch encapsulation {
        case .tracks: multicast
        case .transportStream: multicastTransportStream
        }
    }
}

/// Where a path is multicast.
public struct MulticastOptions: Hashable, Sendable {
    /// IPv4 or IPv6 literal of the group.
    public var group: String
    /// RTP port of the first track, even; RTCP has the next, further tracks the next pairs.
    public var port: UInt16
    /// Routers to pass, less one: 1 stays on the link.
    public var timeToLive: UInt8
    /// Address of the interface to send by; the route's where `nil`.
    public var interface: String?
    /// Whether it is on air without anyone asking over RTSP: for who watches from an `.sdp` file.
    public var isAlwaysOn: Bool
    /// As for the path.
    public var sendsAbsoluteCaptureTime: Bool

    public init(
        group: String, port: UInt16, timeToLive: UInt8 = 1, interface: String? = nil, isAlwaysOn: Bool = false,
        sendsAbsoluteCaptureTime: Bool = false
    ) {
        self.isAlwaysOn = isAlwaysOn
        self.sendsAbsoluteCaptureTime = sendsAbsoluteCaptureTime
        self.group = group
        self.port = port
        self.timeToLive = timeToLive
        self.interface = interface
    }
}

import Delivery
import RTSP

/// The configuration of the RTSP server. Every value has the documented default.
public struct ServerOptions: Sendable {
    /// TCP port for plain connections.
    public var port: UInt16 = 8554
    /// Whether clients connect through TLS, and at which port.
    public var encryption = Encryption.no
    /// The numeric address to listen at; `nil` for all addresses.
    public var address: String?
    /// The number of event loops. Viewers are spread over them.
    public var loopCount = 1
    /// The configuration of each event loop.
    public var loop = MediaLoop.Options()
    /// The maximum number of sessions.
    public var maximumViewers = 4_096
    public var connectionLimits = ConnectionLimits()
    /// The maximum memory of all fast starts that viewers hold, in bytes.
    public var maximumFastStartByteCount = 64_000_000
    /// Bytes of replies that may wait for a client before its requests wait too.
    public var maximumPendingReplyBytes = 65_536
    /// Bytes that TCP may hold unsent. The rest stays in the ring, where it can still be dropped.
    public var unsentBytes: Int32 = 16_384
    /// Milliseconds that a PLAY reply waits for the first unit, so that RTP-Info can contain its time.
    public var playReplyMilliseconds: Int64 = 250
    /// Milliseconds that a DESCRIBE waits for a source that has just started.
    public var describeMilliseconds: Int64 = 3_000
    public var connection = ServerConnection.Configuration()
    public var network = NetworkOptions()
    /// The access policy; `nil` if every client may do everything.
    public var access: AccessPolicy?
    /// Decides requests that `access` leaves open.
    public var authoriser: (any ExternalAuthoriser)?

    public init() {}
}

/// The maximum numbers of connections.
public struct ConnectionLimits: Hashable, Sendable {
    /// From all clients, including loopback.
    public var total = 8192
    /// From one address. Loopback is exempt.
    public var perAddress = 64
    /// From one IPv6 network (/64). Loopback is exempt.
    public var perNetwork = 256
    /// With an unfinished TLS handshake, from all clients, including loopback.
    public var unfinishedHandshakes = 512

    public init() {}
}

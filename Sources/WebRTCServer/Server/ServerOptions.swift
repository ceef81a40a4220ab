import Delivery
import RTP
import Reactor
import TLS
import WebRTC

/// The configuration of the WebRTC server. Every value has the documented default.
public struct ServerOptions: Sendable {
    /// The first port, for UDP and TCP. Each event loop has one of its own, from here on.
    public var port: UInt16 = 8189
    /// Whether the first event loop serves all clients, so that there is only one port.
    public var usesOnePort = false
    /// The number of event loops.
    public var loopCount = 1
    /// The numeric address to listen at; `nil` for all addresses.
    public var address: String?
    /// Addresses at which clients reach this server through a NAT.
    public var publicAddresses: [String] = []
    /// STUN and TURN servers that clients are told of.
    public var iceServers: [ICEServer] = []
    /// How long browsers may delay frames; `nil` leaves it to them.
    public var playoutDelay = PlayoutDelay(minimumMilliseconds: 0, maximumMilliseconds: 0)
    /// Sessions that no client has connected to yet.
    public var maximumPendingSessions = 512
    /// The same from one address.
    public var maximumPendingPerAddress = 32
    /// TCP connections, on each event loop.
    public var maximumConnections = 1_024
    public var handshake = DTLSConnection.HandshakeLimits()
    /// Whether lost packets are sent again to viewers that ask for them.
    public var retransmits = true
    public var retransmissionLimits = RetransmissionBudget.Limits()
    /// Milliseconds that a client waits for a source that has just started.
    public var sourceMilliseconds: Int64 = 3_000
    /// The differentiated-services code point of packets; `nil` leaves them unmarked.
    public var codePoint: UInt8?
    /// Client addresses that may have a separate UDP socket, because a slow device holds the buffer of the shared one.
    public var maximumSeparateSockets = 512
    /// Bytes that TCP may hold unsent.
    public var unsentBytes: Int32 = 16_384

    public init() {}
}

/// Why the server cannot have a port.
public struct PortFailure: Error, Sendable {
    public let port: UInt16
    /// Whether it is the TCP port.
    public let isTCP: Bool
    public let error: SystemError
}

import Media
import Reactor
import Streams
import TLS

/// The configuration of the RTMP server. Every value has the documented default.
public struct ServerOptions: Sendable {
    /// RTMPS.
    public struct Encryption: Sendable {
        public var port: UInt16
        /// The certificate and key, until they are replaced (``Server/identify(by:)``).
        public var identity: ServerIdentity
        public var handshake = TLSConnection.HandshakeLimits()

        public init(port: UInt16 = 1936, identity: ServerIdentity) {
            (self.port, self.identity) = (port, identity)
        }
    }

    /// Which clients are asked for a user and a password when they connect (`authmod=adobe`). FFmpeg, OBS and librtmp answer only then, and
    /// a client that is asked and has none gives up, even if its stream's name has a query with both.
    public enum Challenge: String, CaseIterable, Hashable, Sendable {
        /// Those whose application is the whole path of a stream, so that no query can follow.
        case auto
        /// All that have no user in the query of their application.
        case always
        case never
    }

    /// The port for RTMP; `nil` if there is none.
    public var port: UInt16? = 1935
    /// `nil` without RTMPS.
    public var tls: Encryption?
    /// The numeric address to listen at; `nil` for all addresses.
    public var address: String?
    public var challenge = Challenge.auto
    /// What happens to viewers that do not keep up.
    public var policy = SlowViewerPolicy()
    /// The maximum memory of all fast starts that viewers hold, in bytes.
    public var maximumFastStartByteCount = 64_000_000
    /// Bytes that TCP may hold unsent. The rest stays in the ring, where it can still be dropped.
    public var unsentBytes: Int32 = 16_384
    /// Bytes of answers that may wait for a client before its messages wait too.
    public var maximumPendingByteCount = 65_536
    /// Seconds until a client has connected: handshake and `connect`.
    public var handshakeSeconds = 10
    /// Seconds that a connected client may do nothing.
    public var idleSeconds = 60
    /// Seconds without media after which a publisher is disconnected.
    public var silenceSeconds = 10
    /// Milliseconds that a player waits for a source that has just started.
    public var sourceMilliseconds: Int64 = 3_000

    public init() {}
}

/// Why the server cannot have a port.
public struct PortFailure: Error, Sendable {
    /// Whether the port is that of RTMPS.
    public let isTLS: Bool
    public let error: SystemError
}

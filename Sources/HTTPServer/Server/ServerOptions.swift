import HTTP
import NIOCore
import RTSP
import TLS

/// The configuration of the HTTP server. Every value has the documented default.
public struct ServerOptions: Sendable {
    /// TCP port for plain connections; `nil` if there are none.
    public var port: UInt16?
    /// TCP port for TLS, and the certificate; `nil` without TLS.
    public var tls: TLSOptions?
    /// The numeric address to listen at; `nil` for all addresses.
    public var address: String?
    /// The number of threads.
    public var threadCount = 1
    /// Names of this server, beside its own addresses and the name of the host.
    public var hosts: [Authority] = []
    /// Proxies whose statements about their clients are true.
    public var trustedProxies: [AddressBlock] = []
    /// Web pages of other servers that may use this one.
    public var origins: [Origin] = []
    /// How long a browser stays logged in.
    public var sessionSeconds = 43_200
    /// `Server:` of each response.
    public var serverName = "apus"
    public var connection = ConnectionOptions()

    public init() {}

    public struct TLSOptions: Sendable {
        public var port: UInt16
        public var identity: ServerIdentity
        public var handshake = TLSConnection.HandshakeLimits()

        public init(port: UInt16, identity: ServerIdentity) {
            (self.port, self.identity) = (port, identity)
        }
    }
}

/// What one connection may use.
public struct ConnectionOptions: Hashable, Sendable {
    public var requests = RequestFraming.Limits()
    /// Seconds from the first byte of a request to its end.
    public var requestSeconds = 10
    /// Seconds without a request, and the seconds that a client may take to read a response.
    public var idleSeconds = 60

    public init() {}

    var request: TimeAmount { .seconds(Int64(requestSeconds)) }
    var idle: TimeAmount { .seconds(Int64(idleSeconds)) }
    /// The longest request.
    var maximumWaitingByteCount: Int { requests.headByteCount + requests.bodyByteCount }
}

import HTTP
import NIOCore
import RTSP
import Streams
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
    /// The version of the program.
    public var version = ""
    /// The ports of RTSP and WebRTC, for the page; `nil` for what is not served.
    public var otherPorts: (rtsp: UInt16?, rtsps: UInt16?, webrtc: UInt16?) = (nil, nil, nil)
    public var connection = ConnectionOptions()
    /// How streams are served as HLS.
    public var playback = PlaybackOptions()
    /// What becomes of viewers that do not keep up.
    public var policy = SlowViewerPolicy()
    /// Bytes of all fast starts that joining viewers hold.
    public var maximumFastStartByteCount = 64_000_000
    /// How long a client waits for the first media of a source that should run, in milliseconds.
    public var firstMediaMilliseconds: Int64 = 3_000

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
    /// Requests that are open on one HTTP/2 connection.
    public var maximumStreamCount = 100
    /// PING, SETTINGS and PRIORITY frames that a client may send within 30 seconds.
    public var maximumControlFrameCount = 200
    /// Streams that a client may reset, or that may fail, within 30 seconds.
    public var maximumResetCount = 200
    /// Live bodies of one connection.
    public var maximumViewerCount = 8

    public init() {}

    var request: TimeAmount { .seconds(Int64(requestSeconds)) }
    var idle: TimeAmount { .seconds(Int64(idleSeconds)) }
    /// The longest request.
    var maximumWaitingByteCount: Int { requests.headByteCount + requests.bodyByteCount }
}

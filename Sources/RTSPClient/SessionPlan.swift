import Connecting
import Media
import RTSP
import Reactor
import SDP
import TLS

/// The transport of a session's packets.
public enum SessionTransport: String, Hashable, Sendable, CaseIterable {
    case udp
    case tcp
    case multicast
}

/// How the client receives a GSO batch, the packets that the sender passed to its kernel at once (UDP_SEGMENT).
public enum GSOBatchArrival: String, Hashable, Sendable {
    /// In one datagram, which the client splits (UDP_GRO). All packets of the batch have the same time of arrival.
    case whole
    /// Packet by packet, like an ordinary player. The kernel splits the batch; over loopback this uses the sender's CPU time.
    case cut
}

/// The server, stream and settings of a session.
public struct SessionPlan: Sendable {
    public var url: RequestURL
    /// The addresses of the URL's host, in the order in which to try them; `nil` if the session looks them up.
    public var addresses: [SocketAddress]?
    public var transport: SessionTransport
    /// Which media of the description are set up.
    public var mediaChoice = MediaChoice.all
    /// Whether the session ends after the description, without a SETUP.
    public var isDescribeOnly = false
    /// The receive buffer of the connection; `nil` for the kernel's default.
    public var receiveBufferByteCount: Int32?
    /// The receive buffers that the UDP sockets request, in bytes: as many as FFmpeg; GStreamer requests 524 288.
    ///
    /// The kernel limits the value to `net.core.rmem_max` and doubles it.
    public var datagramBufferByteCount: Int32 = 393_216
    /// How GSO batches are received over UDP.
    public var gsoBatchArrival = GSOBatchArrival.whole
    /// How long a missing packet is awaited, in nanoseconds, if the session requests missing packets over UDP; `nil` if it does not.
    public var repairPatience: Int64?
    public var userAgent = "apus"
    /// The credentials for the server's challenges; `nil` without a password.
    public var login: ClientLogin?
    /// The TLS client, which checks certificates; `nil` if the session cannot use TLS.
    public var security: TLSClient?

    /// How many redirections (30x) are followed. More than a few are a circle. With 0, the session ends with the new URL.
    public var redirectionLimit = 5

    /// The addresses to which the session may connect.
    public var destinations = PermittedDestinations()

    /// Whether this host's own and link-local addresses are refused: after a redirection by a server elsewhere.
    var refusesLocalAddresses = false

    /// Whether the connection uses TLS.
    public var isSecure: Bool { url.isSecure }

    /// How to connect to the server.
    var connection: ConnectionPlan {
        var plan = ConnectionPlan(
            to: url.host, port: url.port ?? url.usualPort, isSecure: isSecure, label: url.text)
        (plan.addresses, plan.security, plan.destinations) = (addresses, security, destinations)
        plan.refusesLocalAddresses = refusesLocalAddresses
        plan.receiveBufferByteCount = receiveBufferByteCount
        return plan
    }

    /// How long the look-up of a host's name may take, in nanoseconds.
    private static let lookupTimeout: Int64 = 10_000_000_000

    /// Plans a session with the stream at `url`. The session looks up the host's name.
    public init(_ url: RequestURL, transport: SessionTransport) {
        self.url = url
        self.transport = transport
    }

    /// Plans a session with the stream at a URL that a user typed. Blocks while it looks up the host's name.
    public init(_ url: String, transport: SessionTransport) throws(ClientSessionEnd) {
        guard let url = RequestURL(url) else { throw .unusableURL(UserInformation.removed(from: url)) }
        guard ["rtsp:", "rtsps:"].contains(where: url.text.lowercased().hasPrefix) else {
            throw .unsupportedScheme(url.text)
        }
        guard !url.isSecure || transport == .tcp else { throw .unprotectedMedia(transport) }
        self.init(url, transport: transport)
        try lookUp(until: .now() + Self.lookupTimeout)
    }

    /// Looks up the host's name. Blocks.
    private mutating func lookUp(until deadline: MonotonicTime) throws(ClientSessionEnd) {
        guard let found = NameLookup.addresses(of: url.host, port: url.port ?? url.usualPort, until: deadline)
        else { throw .connection(.slowNameServer(url.host)) }
        guard !found.isEmpty else { throw .connection(.unknownHost(url.host)) }
        addresses = found
    }

    /// Accepts these certificates if the connection uses TLS.
    public mutating func accept(_ certificates: TLSClient.Certificates) throws(ClientSessionEnd) {
        do throws(IdentityFailure) {
            security = try TLSClient(accepting: certificates)
        } catch {
            throw .connection(.noTLS(error))
        }
    }

    /// The plan for the URL to which the server has moved the stream. Another server gets no password in plain text, only an answer
    /// to Digest. A URL's own user and password are ignored: the server must not choose them.
    func redirected(to url: RequestURL) throws(ClientSessionEnd) -> SessionPlan {
        guard !url.text.lowercased().hasPrefix("rtspu:") else { throw .unsupportedScheme(url.text) }
        guard url.isSecure || !isSecure else { throw .unsafeRedirection(url.text) }
        guard !url.isSecure || security != nil else { throw .connection(.noCertificateCheck(url.text)) }
        var plan = self
        plan.url = url
        plan.addresses = nil
        if !url.isSameServer(as: self.url) { plan.login = login?.withoutBasic }
        return plan
    }
}

extension RequestURL {
    /// Whether both URLs name the same host and port.
    fileprivate func isSameServer(as other: RequestURL) -> Bool {
        host.lowercased() == other.host.lowercased() && port ?? usualPort == other.port ?? other.usualPort
    }
}

/// The number of a session in its loop, from 0. Numbers are not reused.
public struct SessionNumber: Hashable, Sendable {
    public let index: Int
}

/// The progress of a session. Each milestone is reached at most once, in this order.
public enum Milestone: Sendable {
    /// The connection is established.
    case connected
    case described(SessionDescription, tracks: [DescribedTrack])
    /// PLAY was answered, with the first packet's sequence number of each track if the server sent it. Without RTSP: media may come.
    case playing(firstSequenceNumbers: [UInt16?])
    /// The session has ended.
    case ended(ClientSessionEnd)
}

/// Why a session ended.
public enum ClientSessionEnd: Error, Sendable, CustomStringConvertible {
    case closed(ClientCloseReason)
    /// The connection was not established, or was lost.
    case connection(ConnectionFailure)
    /// The text is not an RTSP URL; it is shown without user and password.
    case unusableURL(String)
    /// The scheme is `rtspu`, RTSP over UDP, which is not supported.
    case unsupportedScheme(String)
    /// With TLS, media is supported only inside the connection.
    case unprotectedMedia(SessionTransport)
    /// The server has moved the stream more often than is followed, last to this URL.
    case circle(String)
    /// The server has moved the stream from TLS to this URL without TLS.
    case unsafeRedirection(String)
    /// The description holds no RTP stream.
    case nothingToPlay
    /// A session of another protocol has failed, for this reason.
    case failed(String)

    /// Whether the owner ended the session.
    public var isWanted: Bool {
        if case .closed(.finished) = self { return true }
        return false
    }

    public var description: String {
        switch self {
        case .closed(let reason): reason.description
        case .connection(let failure): failure.description
        case .unusableURL(let url): "\(url) is not an RTSP URL; write rtsp://HOST/PATH"
        case .unsupportedScheme(let url): "unsupported scheme: \(url); use rtsp:// or rtsps://"
        case .unprotectedMedia: "rtsps:// needs --transport tcp --insecure for now"
        case .circle(let url): "the server redirects again and again, last to \(url)"
        case .unsafeRedirection(let url): "the server redirects to \(url), which is not encrypted; not followed"
        case .nothingToPlay: "the description contains no RTP stream"
        case .failed(let reason): reason
        }
    }
}

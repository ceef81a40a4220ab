import Media
import RTSP
import Reactor
import SDP
import TLS

/// Which way a session's packets shall come.
public enum SessionTransport: String, Hashable, Sendable, CaseIterable {
    case udp
    case tcp
    case multicast
}

/// How packets come that their sender handed to its kernel as one train (UDP_SEGMENT).
public enum GSOBatchArrival: String, Hashable, Sendable {
    /// In one piece, to be cut here (UDP_GRO). All its packets came when it did.
    case whole
    /// Packet by packet, as to an ordinary player: this kernel cuts it, and over loopback the sender's processor pays for that.
    case cut
}

/// With whom a session is to be held, and how.
public struct SessionPlan: Sendable {
    public var url: RequestURL
    /// Where the server is: the first address of the URL's host.
    public var server: SocketAddress
    public var transport: SessionTransport
    /// Ends after the description, without setting up anything.
    public var isDescribeOnly = false
    /// The receive buffer of the connection; the kernel's choice where `nil`.
    public var receiveBufferByteCount: Int32?
    /// The receive buffers of the UDP sockets. The kernel doubles what is asked for: this gives 212 992, its default.
    public var datagramBufferByteCount: Int32 = 106_496
    /// How trains of packets come over UDP.
    public var gsoBatchArrival = GSOBatchArrival.whole
    public var userAgent = "apus"
    /// How it proves who it is where the server asks; `nil` for who has no password.
    public var login: ClientLogin?
    /// What its end of TLS is made with; `nil` where the session goes in the clear.
    public var security: UnverifiedTLSClient?

    /// Whether the connection is to go through TLS.
    public var isSecure: Bool { url.isSecure }

    /// A session with the stream at `url`; looks up the host's name, which blocks.
    public init(_ url: RequestURL, transport: SessionTransport) throws(ClientSessionEnd) {
        guard let server = SocketAddress.lookUp(url.host, port: url.port ?? url.usualPort).first else {
            throw .unknownHost(url.host)
        }
        self.url = url
        self.server = server
        self.transport = transport
    }

    /// A session with the stream at `url`, as a user wrote it; looks up the host's name, which blocks.
    public init(_ url: String, transport: SessionTransport) throws(ClientSessionEnd) {
        guard let url = RequestURL(url) else { throw .unusableURL(UserInformation.removed(from: url)) }
        guard ["rtsp:", "rtsps:"].contains(where: url.text.lowercased().hasPrefix) else {
            throw .unsupportedScheme(url.text)
        }
        guard !url.isSecure || transport == .tcp else { throw .unprotectedMedia(transport) }
        try self.init(url, transport: transport)
    }

    /// Goes through TLS with whoever answers there, and believes any certificate.
    public mutating func acceptAnyCertificate() throws(ClientSessionEnd) {
        do throws(IdentityFailure) {
            security = try UnverifiedTLSClient()
        } catch {
            throw .noTLS(error)
        }
    }
}

/// Which session of a loop: counted from 0, never used again.
public struct SessionNumber: Hashable, Sendable {
    public let index: Int
}

/// How far a session has come. Each is reached at most once, in this order.
public enum Milestone: Sendable {
    /// The TCP connection is made.
    case connected
    case described(SessionDescription, tracks: [DescribedTrack])
    /// PLAY is answered: for each track the number of the first packet, where the server said.
    case playing(firstSequenceNumbers: [UInt16?])
    /// It is over; the session is gone.
    case ended(ClientSessionEnd)
}

/// Why a session ended.
public enum ClientSessionEnd: Error, Sendable, CustomStringConvertible {
    case closed(ClientCloseReason)
    case failed(SystemError)
    /// Without user and password.
    case unusableURL(String)
    /// An RTSP URL of `rtspu`, which comes over UDP.
    case unsupportedScheme(String)
    /// Through TLS media comes inside the connection.
    case unprotectedMedia(SessionTransport)
    /// There is no TLS on this host.
    case noTLS(IdentityFailure)
    case insecure(TLSFailure)
    /// No address is known for the URL's host.
    case unknownHost(String)
    /// The description holds no RTP stream.
    case nothingToPlay

    /// Whether it ended as its owner wanted.
    public var isWanted: Bool {
        if case .closed(.finished) = self { return true }
        return false
    }

    public var description: String {
        switch self {
        case .closed(let reason): reason.description
        case .failed(let error): error.description
        case .unusableURL(let url): "\(url) is no RTSP URL"
        case .unsupportedScheme(let url): "\(url) cannot be opened: rtsp:// and rtsps:// are spoken"
        case .unprotectedMedia(let transport): "over \(transport.rawValue) nothing comes of rtsps:// yet: use tcp"
        case .noTLS(.noLibrary(let reason)): "rtsps:// needs OpenSSL (the package libssl3): \(reason)"
        case .noTLS: "OpenSSL does not speak TLS on this host"
        case .insecure(let failure): "TLS: \(failure)"
        case .unknownHost(let host): "no address is known for \(host)"
        case .nothingToPlay: "the description names no RTP stream"
        }
    }
}

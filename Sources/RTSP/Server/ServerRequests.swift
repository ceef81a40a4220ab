import RTP

/// Tells the answers of a connection's requests apart.
public struct RequestID: Hashable, Sendable {
    public let number: UInt64

    public init(_ number: UInt64) {
        self.number = number
    }
}

/// A DESCRIBE that waits for ``ServerConnection/described(_:_:at:)``.
public struct DescribeRequest: Hashable, Sendable {
    /// Decoded, with a leading slash and without a trailing one: `/cam`.
    public var path: String
    /// Undecoded, without `?`.
    public var query: String?
    /// The value that Content-Base will have: the client's own URL, ending in `/`.
    public var baseURL: String
    public var userAgent: String?
    /// Who asks. What else the answer tells of, as the nearest path, must be theirs too.
    public var grant: Grant
}

/// A SETUP that waits for ``ServerConnection/setUp(_:_:at:)``.
public struct SetUpRequest: Hashable, Sendable {
    public var path: String
    public var query: String?
    /// The track's control name, `track1`; `nil` where the URL names none, which is right only for a stream of one
    /// track (else 459).
    public var track: String?
    /// The session that gets one track more; `nil` if this SETUP makes one.
    public var session: SessionID?
    /// In the transport stream's form, `track` and `session` are `nil`, nothing is offered over TCP, and `path` is to be
    /// matched in any case: ``SATIP``.
    public var encapsulation: RTPEncapsulation
    /// What the client would take, best first, never empty.
    public var offers: [TransportOffer]
    /// What the client protects what it sends with, where it offers SRTP; `nil` where it uses the key that it was told.
    public var clientKey: MasterKey?
    public var userAgent: String?
    /// What the URL held of credentials, for clients that know no challenge.
    public var userInformation: UserInformation?
    /// Who asks. Of paths that differ in case, those that are not theirs do not exist.
    public var grant: Grant
    /// How its session is to join, if this request or the DESCRIBE before it says so.
    public var join: RequestedJoin?
}

/// A PLAY that waits for ``ServerConnection/played(_:_:at:)``.
public struct PlayRequest: Hashable, Sendable {
    public var session: SessionID
    public var path: String
    public var query: String?
    /// In the order of their SETUPs.
    public var tracks: [SetUpTrack]
    public var range: RangeHeader?
    public var userAgent: String?
    /// How to join, if a request of the session says so; else the path's options decide.
    public var join: RequestedJoin?
}

/// A track of a session.
public struct SetUpTrack: Hashable, Sendable {
    /// The control name; `nil` if SETUP named none.
    public var control: String?
    /// The URL of its SETUP, as the client wrote it, or that of the numbered stream (``SATIP``): for RTP-Info.
    public var url: String
    public var transport: TransportAnswer
}

/// A transport that a client offers and that this server knows how to serve.
public enum TransportOffer: Hashable, Sendable {
    case udp(clientPorts: PortPair, MediaProfile = .plain)
    /// Channels that are free on this connection.
    case interleaved(ChannelPair, MediaProfile = .plain)
    case multicast
}

/// How packets are made for their way.
public enum MediaProfile: String, Hashable, Sendable {
    /// As they are (RFC 3551).
    case plain = "RTP/AVP"
    /// Encrypted and authenticated, one by one (SRTP, RFC 3711).
    case secure = "RTP/SAVP"
}

/// The transport that a track gets.
public enum TransportAnswer: Hashable, Sendable {
    /// - Parameter source: only where packets come from an address that is not the one the client connected to.
    case udp(
        clientPorts: PortPair, serverPorts: PortPair, ssrc: UInt32, source: String? = nil,
        profile: MediaProfile = .plain)
    case interleaved(ChannelPair, ssrc: UInt32, profile: MediaProfile = .plain)
    case multicast(group: String, ports: PortPair, timeToLive: UInt8, ssrc: UInt32? = nil)
}

/// The answer to a DESCRIBE.
public struct DescribeAnswer: Hashable, Sendable {
    /// The session description (RFC 8866) as it goes out.
    public var sdp: [UInt8]

    public init(sdp: [UInt8]) {
        self.sdp = sdp
    }
}

/// The answer to a SETUP.
public struct SetUpAnswer: Hashable, Sendable {
    public var transport: TransportAnswer
    /// The name that a session gets if this SETUP makes one; of no effect else.
    public var freshSession: SessionID
    /// The number by which a session of a transport stream is named from now on; of no effect for tracks.
    public var streamID: UInt16?

    public init(_ transport: TransportAnswer, freshSession: SessionID, streamID: UInt16? = nil) {
        self.transport = transport
        self.freshSession = freshSession
        self.streamID = streamID
    }
}

/// The answer to a PLAY: packets may leave once its bytes are sent.
public struct PlayAnswer: Hashable, Sendable {
    /// Where nothing is known of any track, the response has no such header.
    public var rtpInfo: RTPInfo
    /// In the unit that was asked for.
    public var range: RangeHeader?

    public init(rtpInfo: RTPInfo, range: RangeHeader?) {
        self.rtpInfo = rtpInfo
        self.range = range
    }
}

/// The answer of a server that will not.
public struct Refusal: Error, Hashable, Sendable {
    public var status: StatusCode
    /// The status's own phrase where `nil`.
    public var reason: String?
    /// For example Allow, Location or WWW-Authenticate.
    public var headers: Headers

    public init(_ status: StatusCode, reason: String? = nil, headers: Headers = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }
}

import RTP

/// Identifies a request of a connection, to match the server's answer with it.
public struct RequestID: Hashable, Sendable {
    public let number: UInt64

    public init(_ number: UInt64) {
        self.number = number
    }
}

/// A DESCRIBE that waits for ``ServerConnection/described(_:_:at:)``.
public struct DescribeRequest: Hashable, Sendable {
    /// The decoded path with a leading slash and without a trailing one: `/cam`.
    public var path: String
    /// The undecoded query without `?`.
    public var query: String?
    /// The value of Content-Base: the client's own URL, ending in `/`.
    public var baseURL: String
    public var userAgent: String?
    /// The user's permissions. Other paths in the response, such as the nearest name, must be permitted, too.
    public var grant: Grant
}

/// A SETUP that waits for ``ServerConnection/setUp(_:_:at:)``.
public struct SetUpRequest: Hashable, Sendable {
    public var path: String
    public var query: String?
    /// The track's control name, `track1`; `nil` if the URL names none, which is valid only for a stream of one track (else 459).
    public var track: String?
    /// The session to which the track is added; `nil` if this SETUP creates one.
    public var session: SessionID?
    /// For a transport stream, `track` and `session` are `nil`, there are no offers over TCP, and the path must be found ignoring
    /// case: ``SATIP``.
    public var encapsulation: RTPEncapsulation
    /// The client's transports, best first, never empty.
    public var offers: [TransportOffer]
    /// The key with which a client of SRTP encrypts its packets; `nil` if it uses the server's key.
    public var clientKey: MasterKey?
    public var userAgent: String?
    /// The credentials in the URL, for clients that do not support challenges.
    public var userInformation: UserInformation?
    /// The user's permissions. Among paths that differ only in case, those without permission are treated as missing.
    public var grant: Grant
    /// The join mode, if this request or the DESCRIBE before it has one.
    public var join: RequestedJoin?
}

/// A PLAY that waits for ``ServerConnection/played(_:_:at:)``.
public struct PlayRequest: Hashable, Sendable {
    public var session: SessionID
    public var path: String
    public var query: String?
    /// The tracks in the order of their SETUPs.
    public var tracks: [SetUpTrack]
    public var range: RangeHeader?
    public var userAgent: String?
    /// The join mode, if a request of the session has one; otherwise the path's options decide.
    public var join: RequestedJoin?
}

/// A track of a session.
public struct SetUpTrack: Hashable, Sendable {
    /// The control name; `nil` if SETUP named none.
    public var control: String?
    /// The URL for RTP-Info: that of the SETUP as the client wrote it, or that of the numbered stream (``SATIP``).
    public var url: String
    public var transport: TransportAnswer
}

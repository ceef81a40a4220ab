/// The answer to a DESCRIBE.
public struct DescribeAnswer: Hashable, Sendable {
    /// The serialised session description (RFC 8866).
    public var sdp: [UInt8]

    public init(sdp: [UInt8]) {
        self.sdp = sdp
    }
}

/// The answer to an ANNOUNCE.
public struct AnnounceAnswer: Hashable, Sendable {
    /// The keys of the server's reports, by the indices of the media that use SRTP.
    public var keys: [Int: MIKEYMessage]

    public init(keys: [Int: MIKEYMessage] = [:]) {
        self.keys = keys
    }
}

/// The answer to a SETUP.
public struct SetUpAnswer: Hashable, Sendable {
    public var transport: TransportAnswer
    /// The ID of a new session; ignored if the SETUP adds a track to a session.
    public var freshSession: SessionID
    /// The stream number of a transport stream's session (``SATIP``); ignored for tracks.
    public var streamID: UInt16?
    /// The key of the server's reports to a publisher that uses SRTP.
    public var key: MIKEYMessage?

    public init(
        _ transport: TransportAnswer, freshSession: SessionID, streamID: UInt16? = nil, key: MIKEYMessage? = nil
    ) {
        self.transport = transport
        self.freshSession = freshSession
        self.streamID = streamID
        self.key = key
    }
}

/// The answer to a PLAY: packets may leave once its bytes are sent.
public struct PlayAnswer: Hashable, Sendable {
    /// If empty, the response has no RTP-Info header.
    public var rtpInfo: RTPInfo
    /// The range in the unit of the request.
    public var range: RangeHeader?

    public init(rtpInfo: RTPInfo, range: RangeHeader?) {
        self.rtpInfo = rtpInfo
        self.range = range
    }
}

/// An error response.
public struct Refusal: Error, Hashable, Sendable {
    public var status: StatusCode
    /// If `nil`, the default phrase of the status.
    public var reason: String?
    /// Additional headers, such as Allow, Location or WWW-Authenticate.
    public var headers: Headers

    public init(_ status: StatusCode, reason: String? = nil, headers: Headers = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }
}

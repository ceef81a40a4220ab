import RTP

/// An action that a ``ServerConnection`` orders.
public enum ServerAction: Hashable, Sendable {
    /// Write these bytes after all earlier ones.
    case send([UInt8])
    /// Answer with ``ServerConnection/described(_:_:at:)``.
    case describe(RequestID, DescribeRequest)
    /// Answer with ``ServerConnection/setUp(_:_:at:)``.
    case setUp(RequestID, SetUpRequest)
    /// Answer with ``ServerConnection/played(_:_:at:)``.
    case play(RequestID, PlayRequest)
    /// Answer with ``ServerConnection/announced(_:_:at:)``.
    case announce(RequestID, AnnounceRequest)
    /// Answer with ``ServerConnection/setUp(_:_:at:)``.
    case setUpPublisher(RequestID, PublisherSetUpRequest)
    /// Answer with ``ServerConnection/recorded(_:_:at:)``, and take what the client sends from then on.
    case record(RequestID, SessionID)
    /// Send packets: PLAY has succeeded, and its response was ordered just before.
    case startSending(SessionID)
    /// Stop sending, but keep the session.
    case pause(SessionID)
    /// Stop sending, send RTCP BYE and release the session.
    case tearDown(SessionID, SessionEnd)
    /// Handle data that the client sent on one of the session's channels: RTCP of a viewer, RTP and RTCP of a publisher.
    case receivedInterleaved(SessionID, channel: UInt8, ArraySlice<UInt8>)
    /// Answer with ``ServerConnection/decided(_:_:at:)``.
    case decide(RequestID, ExternalAuthorisationRequest)
    /// Log and count that a request was refused because the client may not send it.
    case accessRefused(AccessFailure)
    /// Log that the client's address is locked out because of too many wrong passwords.
    case addressLockedOut(seconds: Int)
    /// Close the connection after all bytes are written. By then all sessions have ended; this is the last action.
    case close(CloseReason)
}

/// Why a session ended.
public enum SessionEnd: Hashable, Sendable, CustomStringConvertible {
    case tornDown
    case timedOut(seconds: Int)
    case connectionClosed(CloseReason)
    case withdrawn(Withdrawal)

    public var description: String {
        switch self {
        case .tornDown: "the client sent TEARDOWN"
        case .timedOut(let seconds): "the client was silent for \(seconds) s"
        case .connectionClosed(let reason): "\(reason)"
        case .withdrawn(let withdrawal): "\(withdrawal)"
        }
    }
}

/// The reason for which the server ends a session.
public enum Withdrawal: Hashable, Sendable, CustomStringConvertible {
    /// The stream was removed.
    case stream
    /// The stream's input has ended for good.
    case end
    /// The stream's multicast groups were changed; their members must join again.
    case groups
    /// The client lost the permission to watch or to publish the stream.
    case permissionLost
    /// An operator has disconnected the viewer.
    case disconnected
    /// The publisher has sent no media for this many seconds.
    case silence(seconds: Int)
    /// The publisher sends a transport stream of which nothing can be used.
    case unusable(TransportStreamFault)
    /// The publisher has said goodbye on all tracks (RTCP BYE).
    case goodbye
    /// Another publisher, at this address, has taken over the stream.
    case takenOver(by: String)

    public var description: String {
        switch self {
        case .stream: "the stream was removed"
        case .end: "the stream has ended"
        case .groups: "the stream's multicast configuration has changed"
        case .permissionLost: "the client may no longer use the stream"
        case .disconnected: "an operator disconnected the viewer"
        case .silence(let seconds): "no media has come for \(seconds) s"
        case .unusable(let fault): "\(fault)"
        case .goodbye: "the publisher said goodbye (RTCP BYE)"
        case .takenOver(let address): "\(address) has taken over the stream"
        }
    }
}

/// Why a connection was closed, with a text for the log.
public enum CloseReason: Hashable, Sendable, CustomStringConvertible {
    case peerClosed
    case peerSpokeHTTP
    case malformed(ParseError)
    case messageTooSlow(seconds: Int)
    case idle(seconds: Int)
    case tooManyBytesWaiting(byteCount: Int)
    case withdrawn(Withdrawal)
    /// TLS failed, for this reason.
    case securityFailed(String)
    case shuttingDown

    public var description: String {
        switch self {
        case .peerClosed: "the client closed the connection"
        case .peerSpokeHTTP: "the client sent HTTP to the RTSP port; it may be a web browser"
        case .malformed(let error): "invalid RTSP from the client: \(error)"
        case .messageTooSlow(let seconds): "incomplete request after \(seconds) s"
        case .idle(let seconds): "idle: no session and no request for \(seconds) s"
        case .tooManyBytesWaiting(let byteCount):
            "too many pipelined requests: \(byteCount) bytes wait behind an unanswered request"
        case .withdrawn(let withdrawal): "\(withdrawal)"
        case .securityFailed(let reason): reason
        case .shuttingDown: "the server is shutting down"
        }
    }
}

/// What a ``ServerConnection`` orders.
public enum ServerAction: Hashable, Sendable {
    /// Write these bytes, after all that were ordered before.
    case send([UInt8])
    /// Answer with ``ServerConnection/described(_:_:at:)``.
    case describe(RequestID, DescribeRequest)
    /// Answer with ``ServerConnection/setUp(_:_:at:)``.
    case setUp(RequestID, SetUpRequest)
    /// Answer with ``ServerConnection/played(_:_:at:)`` and send packets once the reply is on its way.
    case play(RequestID, PlayRequest)
    /// Stop sending; the session stays.
    case pause(SessionID)
    /// Stop sending, say BYE, release the session.
    case tearDown(SessionID, SessionEnd)
    /// What a viewer sent on one of its channels: RTCP, on the odd one.
    case receivedInterleaved(SessionID, channel: UInt8, [UInt8])
    /// Answer with ``ServerConnection/decided(_:_:at:)``.
    case decide(RequestID, ExternalAuthorisationRequest)
    /// Nothing to be done: a request was refused because of who sent it, for the log and for counting.
    case accessRefused(AccessFailure)
    /// Nothing to be done: the client's address has sent too many wrong passwords, and is not listened to for a while.
    case addressLockedOut(seconds: Int)
    /// Close once all bytes are written. Every session was torn down before; nothing follows.
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
        case .tornDown: "the client tore it down"
        case .timedOut(let seconds): "nothing was heard of the client for \(seconds) s"
        case .connectionClosed(let reason): "\(reason)"
        case .withdrawn(let withdrawal): "\(withdrawal)"
        }
    }
}

/// What the server takes away from those who watch it.
public enum Withdrawal: Hashable, Sendable, CustomStringConvertible {
    /// The stream, from all.
    case stream
    /// The input of the stream has ended for good: there is nothing more to send.
    case end
    /// Its multicast groups as they were, from their members.
    case groups
    /// The right to watch it, from one user or address.
    case right

    public var description: String {
        switch self {
        case .stream: "the stream is not served any more"
        case .end: "the stream has ended"
        case .groups: "the stream's multicast is configured otherwise now"
        case .right: "its client may not watch it any more"
        }
    }
}

/// Why a connection is closed, as a sentence for the log.
public enum CloseReason: Hashable, Sendable, CustomStringConvertible {
    case peerClosed
    case peerSpokeHTTP
    case malformed(ParseError)
    case messageTooSlow(seconds: Int)
    case idle(seconds: Int)
    case tooManyBytesWaiting(byteCount: Int)
    case withdrawn(Withdrawal)
    /// What protects the connection failed, as a sentence.
    case securityFailed(String)
    case shuttingDown

    public var description: String {
        switch self {
        case .peerClosed: "the client closed the connection"
        case .peerSpokeHTTP: "the client speaks HTTP on the RTSP port"
        case .malformed(let error): "the client sent what is no RTSP: \(error)"
        case .messageTooSlow(let seconds): "a request was not complete after \(seconds) s"
        case .idle(let seconds): "no session and no request for \(seconds) s"
        case .tooManyBytesWaiting(let byteCount):
            "\(byteCount) bytes of requests wait behind one that is not answered yet"
        case .withdrawn(let withdrawal): "\(withdrawal)"
        case .securityFailed(let reason): reason
        case .shuttingDown: "the server shuts down"
        }
    }
}

import Media
import Wire

/// The state machine of a server's RTSP/1.0 connection (RFC 2326), without a socket: events in, actions out.
///
/// After each input, call ``nextAction()`` until it returns `nil`, and call ``continueProcessing(at:)`` while ``hasUnprocessedMessages``, because one input
/// handles a limited number of messages. Then wait for bytes, answers or ``nextDeadline``.
///
/// Requests are answered in order. A request that only the server can answer (DESCRIBE, SETUP, PLAY) becomes an action, and later
/// requests wait for its answer. Time and session IDs are inputs, too, so the same inputs always produce the same bytes.
///
/// The parts are ``Parser`` (bytes → messages), `Authenticator` (authentication), `ValidatedRequest` (checks), `TransportChoice`,
/// `SessionTable` of `ServerSession`s, `ChannelTable` (interleaving) and `ConnectionTimer`. A connection is confined to its loop.
public struct ServerConnection: Sendable {
    public let configuration: Configuration
    public let peer: Endpoint
    public let local: Endpoint
    public let security: ConnectionSecurity
    let lockOut: LockOut

    var parser: Parser
    var sessions: SessionTable
    var channels = ChannelTable()
    var timer: ConnectionTimer
    /// `nil` if every client may do everything.
    var authenticator: Authenticator?
    /// The wrong credentials that were counted last. GStreamer's rtspclientsink sends the same ones eight times.
    var countedGuess: String?
    /// Whether the client has sent a DESCRIBE, and therefore knows the tracks.
    var hasDescribed = false
    /// The join mode in the URL of the client's last DESCRIBE.
    var describedJoin: (path: String, join: RequestedJoin)?
    /// The stream that the client publishes; `nil` if it publishes none.
    var publication: Publication?
    /// The request that waits for the server's answer.
    var pending: PendingRequest?
    private var requestCount: UInt64 = 0
    private var actions = ActionQueue<ServerAction>()
    private var hasPeerEnded = false
    /// The number of messages that may still be handled in this step.
    private var messageAllowance = 0
    /// Whether received messages wait for ``continueProcessing(at:)`` because the step's allowance is used up.
    public private(set) var hasUnprocessedMessages = false
    /// Whether ``ServerAction/close(_:)`` was ordered; later inputs have no effect.
    public private(set) var isClosed = false

    /// - Parameters:
    ///   - access: the access policy; `nil` if every client may do everything.
    ///   - lockOut: the counts of wrong passwords, shared by all connections.
    ///   - security: whether the connection is encrypted.
    public init(
        configuration: Configuration, access: AccessPolicy? = nil, lockOut: LockOut = LockOut(), peer: Endpoint,
        local: Endpoint, security: ConnectionSecurity = .clear, at now: MonotonicTime
    ) {
        self.configuration = configuration
        self.peer = peer
        self.local = local
        self.security = security
        self.lockOut = lockOut
        parser = Parser(limits: configuration.messageLimits)
        sessions = SessionTable(
            maximumCount: configuration.maximumSessionCount, timeoutSeconds: configuration.sessionTimeoutSeconds)
        timer = ConnectionTimer(
            messageSeconds: configuration.messageSeconds, idleSeconds: configuration.idleSeconds, at: now)
        authenticator = access.map(makeAuthenticator)
    }

    /// Whether the caller should read from the socket: not while many bytes wait behind a pending request, or while messages wait
    /// for ``continueProcessing(at:)``.
    public var wantsBytes: Bool {
        // After the peer's end the socket would stay readable for ever.
        !isClosed && !hasPeerEnded && !hasUnprocessedMessages
            && (pending == nil || parser.waitingByteCount < configuration.maximumWaitingByteCount / 2)
    }

    /// Whether the bytes so far end inside a message, which is the rest of an ANNOUNCE if the client writes its body separately.
    public var isInsideMessage: Bool { pending == nil && parser.isInsideMessage }

    /// Bytes came.
    public mutating func received(_ bytes: RawSpan, at now: MonotonicTime) {
        guard !isClosed, !hasPeerEnded else { return }
        parser.append(bytes)
        beginStep(at: now)
        if pending != nil, parser.waitingByteCount > configuration.maximumWaitingByteCount {
            close(.tooManyBytesWaiting(byteCount: parser.waitingByteCount))
        }
    }

    /// Handles further messages that have been received. Has no effect unless ``hasUnprocessedMessages``.
    public mutating func continueProcessing(at now: MonotonicTime) {
        guard hasUnprocessedMessages else { return }
        hasUnprocessedMessages = false
        beginStep(at: now)
    }

    /// Handles the messages of one step; none if messages already wait for ``continueProcessing(at:)``.
    private mutating func beginStep(at now: MonotonicTime) {
        guard !hasUnprocessedMessages else { return }
        messageAllowance = configuration.messagesPerStep
        readMessages(at: now)
    }

    /// The peer has ended its side of the connection. Requests that it sent before are still answered.
    public mutating func receivedEnd(at now: MonotonicTime) {
        guard !isClosed else { return }
        hasPeerEnded = true
        beginStep(at: now)
    }

    /// The client was active in a session: RTCP came from its address and ports, or its interleaved data drained.
    public mutating func noteActivity(of session: SessionID, at now: MonotonicTime) {
        sessions.noteActivity(of: session, at: now)
        publication?.noteActivity(of: session, at: now)
    }

    /// ``nextDeadline`` has passed. An earlier call has no effect.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        guard !isClosed else { return }
        for session in overdueSessions(at: now) {
            end(session, .timedOut(seconds: Int(sessions.maximumSilenceMilliseconds / 1000)))
            timer.sessionEnded(at: now)
        }
        if case .refused(let refusal, let due)? = pending?.kind, due <= now {
            finish(Response(refusal), in: nil, at: now)
        }
        if let pending, case .decision(let waiting) = pending.kind, waiting.due <= now {
            decided(pending.id, .unavailable, at: now)
        }
        if let reason = timer.overdue(at: now, mayIdle: mayIdle) { close(reason) }
    }

    /// Ends a session because of `withdrawal`, and closes the connection with its last session, because RTSP/1.0 has no other way
    /// to tell a client.
    public mutating func withdraw(_ session: SessionID, _ withdrawal: Withdrawal, at now: MonotonicTime) {
        guard !isClosed, sessions[session] != nil || publication?.session == session else { return }
        end(session, .withdrawn(withdrawal))
        guard hasSession else { return close(.withdrawn(withdrawal)) }
        guard pending?.session == session else { return }
        finish(Response(Refusal(.sessionNotFound)), in: nil, at: now)
    }

    /// The connection's encryption has failed. The connection closes at once.
    public mutating func securityFailed(_ reason: String) {
        close(.securityFailed(reason))
    }

    /// The server shuts down. All sessions end and the connection closes.
    public mutating func shuttingDown() {
        close(.shuttingDown)
    }

    /// The next action; `nil` if there are no more.
    public mutating func nextAction() -> ServerAction? { actions.next() }

    /// The time at which to call ``deadlinePassed(at:)``. Any input may change it.
    public var nextDeadline: MonotonicTime? {
        guard !isClosed else { return nil }
        let deadlines = [
            sessions.nextDeadline(except: pending?.session), timer.nextDeadline(mayIdle: mayIdle), pending?.due,
            publicationDeadline,
        ]
        return deadlines.compactMap(\.self).min()
    }

    /// The sessions that have timed out.
    private func overdueSessions(at now: MonotonicTime) -> [SessionID] {
        let viewing = sessions.overdue(at: now, except: pending?.session)
        guard let session = publication?.session, let deadline = publicationDeadline, deadline <= now else {
            return viewing
        }
        return viewing + [session]
    }

    /// When the client's publication times out; `nil` while it records or waits for an answer.
    private var publicationDeadline: MonotonicTime? {
        guard let publication, pending?.session == nil || pending?.session != publication.session else { return nil }
        return publication.deadline(afterSilenceOf: sessions.maximumSilenceMilliseconds)
    }

    /// Whether the client watches or publishes a stream.
    private var hasSession: Bool { !sessions.isEmpty || publication?.session != nil }

    /// Whether the idle timeout applies, even while messages wait for ``continueProcessing(at:)``: each handled request counts as activity, so
    /// only a client that does not read its responses is idle then.
    private var mayIdle: Bool { !hasSession && pending == nil }

    /// Handles messages until one must wait for the server's answer, or until the step's allowance is used up.
    mutating func readMessages(at now: MonotonicTime) {
        do throws(ParseError) {
            while pending == nil, !isClosed, hasAllowance(), let element = try parser.next() {
                messageAllowance -= 1
                timer.messageCompleted()
                handle(element, at: now)
            }
        } catch {
            closeAfter(error)
        }
        guard !isClosed, !hasUnprocessedMessages else { return }
        timer.updateMessageStart(isInside: pending == nil && parser.isInsideMessage, at: now)
        if hasPeerEnded, pending == nil { close(.peerClosed) }
    }

    /// Whether another message may be handled in this step. If not, and bytes wait, sets ``hasUnprocessedMessages``.
    private mutating func hasAllowance() -> Bool {
        if messageAllowance == 0 { hasUnprocessedMessages = parser.waitingByteCount > 0 }
        return messageAllowance > 0
    }

    private mutating func handle(_ element: Parser.Element, at now: MonotonicTime) {
        switch element {
        case .request(let request):
            timer.receivedRequest(at: now)
            handle(request, at: now)
        case .interleaved(let channel, let bytes):
            guard let session = channels.owner(of: channel) else { return }
            noteActivity(of: session, at: now)
            order(.receivedInterleaved(session, channel: channel, bytes))
        case .response:
            // This server sends no requests.
            break
        }
    }

    mutating func order(_ action: ServerAction) {
        actions.append(action)
    }

    /// Makes the requests behind this one wait for its answer.
    mutating func wait(for kind: PendingRequest.Kind, _ cSeq: CSeq) -> RequestID {
        requestCount &+= 1
        let request = PendingRequest(id: RequestID(requestCount), cSeq: cSeq, kind: kind)
        pending = request
        return request.id
    }

    /// Removes a session and orders its end.
    mutating func end(_ session: SessionID, _ reason: SessionEnd) {
        sessions[session] = nil
        if publication?.session == session { publication = nil }
        channels.release(session)
        order(.tearDown(session, reason))
    }

    private mutating func closeAfter(_ error: ParseError) {
        guard error.fault == .http else {
            send(Response(error.status), to: error.cSeq)
            return close(.malformed(error))
        }
        // VLC tries HTTP after a failed DESCRIBE and waits for this response. Web browsers show its body.
        let body = "This port serves RTSP. Open its rtsp:// URL in a player such as VLC, not in a web browser.\n"
        let head = "HTTP/1.0 501 Not Implemented\r\nConnection: close\r\nContent-Type: text/plain\r\n"
        order(.send(Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)))
        close(.peerSpokeHTTP)
    }

    private mutating func close(_ reason: CloseReason) {
        guard !isClosed else { return }
        isClosed = true
        hasUnprocessedMessages = false
        pending = nil
        for session in sessions.sessions.map(\.id) + [publication?.session].compactMap(\.self) {
            end(session, .connectionClosed(reason))
        }
        order(.close(reason))
    }
}

import Media
import Wire

/// The server's end of an RTSP/1.0 connection (RFC 2326), without its socket: events in, orders out.
///
/// The law: one input, then ``nextAction()`` until it is `nil`, then wait for bytes, answers or ``nextDeadline``; but
/// ``continueProcessing(at:)`` while ``hasUnprocessedMessages``, because one input handles a limited number of messages.
/// Requests are answered in their order. One that only the server can answer (DESCRIBE, SETUP, PLAY) becomes an
/// action; those behind it wait until the answer is put in. Time and session names are put in too, so that the same
/// inputs always give the same bytes.
///
/// Small machines do the work: ``Parser`` (bytes → messages), `Authenticator` (who asks), `ValidatedRequest` (checks), `TransportChoice`,
/// `SessionTable` of `ServerSession`s, `ChannelTable` (interleaving), `ConnectionTimer`. This type only joins them.
/// It is confined to its loop.
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
    /// `nil` where everybody may do everything.
    var authenticator: Authenticator?
    /// Whether the client has asked for a description: then it knows of tracks.
    var hasDescribed = false
    /// How the client's last DESCRIBE of a path asked to join it.
    var describedJoin: (path: String, join: RequestedJoin)?
    /// The request that waits for its answer.
    var pending: PendingRequest?
    private var requestCount: UInt64 = 0
    private var actions: [ServerAction] = []
    private var givenActionCount = 0
    private var hasPeerEnded = false
    /// Messages that may still be handled in this step.
    private var messageAllowance = 0
    /// Whether received messages wait for ``continueProcessing(at:)``: the step's allowance is used up.
    public private(set) var hasUnprocessedMessages = false
    /// Whether ``ServerAction/close(_:)`` was ordered: inputs have no effect any more.
    public private(set) var isClosed = false

    /// - Parameters:
    ///   - access: who may do what; `nil` where everybody may do everything.
    ///   - lockOut: whose addresses have guessed passwords too often; the same for all connections.
    ///   - security: who else may read what the connection carries.
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

    /// Whether bytes should be read: not while many wait behind a request that is not answered yet, or while messages
    /// wait for ``continueProcessing(at:)``.
    public var wantsBytes: Bool {
        // After the end there are none: whoever looked for them would find the socket readable for ever.
        !isClosed && !hasPeerEnded && !hasUnprocessedMessages
            && (pending == nil || parser.waitingByteCount < configuration.maximumWaitingByteCount / 2)
    }

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

    /// Handles as many messages as one step may; none if messages already wait for ``continueProcessing(at:)``.
    private mutating func beginStep(at now: MonotonicTime) {
        guard !hasUnprocessedMessages else { return }
        messageAllowance = configuration.messagesPerStep
        readMessages(at: now)
    }

    /// The peer will send nothing more; what it has sent is answered first.
    public mutating func receivedEnd(at now: MonotonicTime) {
        guard !isClosed else { return }
        hasPeerEnded = true
        beginStep(at: now)
    }

    /// A session's viewer showed life: RTCP came from its address and ports, or its interleaved data drained.
    public mutating func heard(_ session: SessionID, at now: MonotonicTime) {
        sessions.heard(session, at: now)
    }

    /// ``nextDeadline`` has come. Earlier than that, nothing happens.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        guard !isClosed else { return }
        for session in sessions.overdue(at: now, except: pending?.session) {
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

    /// What a session shows has been taken away: the session ends, and with the last one the connection, for RTSP/1.0 has no
    /// other way to tell a client.
    public mutating func withdraw(_ session: SessionID, _ withdrawal: Withdrawal, at now: MonotonicTime) {
        guard !isClosed, sessions[session] != nil else { return }
        end(session, .withdrawn(withdrawal))
        guard !sessions.isEmpty else { return close(.withdrawn(withdrawal)) }
        guard pending?.session == session else { return }
        finish(Response(Refusal(.sessionNotFound)), in: nil, at: now)
    }

    /// What protects the connection has failed: nothing that comes or goes is worth anything any more.
    public mutating func securityFailed(_ reason: String) {
        close(.securityFailed(reason))
    }

    /// The server ends: every session is torn down and the connection closed.
    public mutating func shuttingDown() {
        close(.shuttingDown)
    }

    /// The next order; `nil` when all have been given.
    public mutating func nextAction() -> ServerAction? {
        guard givenActionCount < actions.count else {
            actions.removeAll(keepingCapacity: true)
            givenActionCount = 0
            return nil
        }
        defer { givenActionCount += 1 }
        return actions[givenActionCount]
    }

    /// When ``deadlinePassed(at:)`` is due; any input may change it.
    public var nextDeadline: MonotonicTime? {
        guard !isClosed else { return nil }
        let deadlines = [
            sessions.nextDeadline(except: pending?.session), timer.nextDeadline(mayIdle: mayIdle), pending?.due,
        ]
        return deadlines.compactMap(\.self).min()
    }

    /// Also if messages wait for ``continueProcessing(at:)``: each handled request counts as activity, so only a client that does not read idles.
    private var mayIdle: Bool { sessions.isEmpty && pending == nil }

    /// Handles messages until one must wait for its answer, or the step's allowance is used up.
    mutating func readMessages(at now: MonotonicTime) {
        do throws(ParseError) {
            while pending == nil, !isClosed, hasAllowance(), let element = try parser.next() {
                messageAllowance -= 1
                timer.messageEnded()
                handle(element, at: now)
            }
        } catch {
            closeAfter(error)
        }
        guard !isClosed, !hasUnprocessedMessages else { return }
        timer.messageStands(isInside: pending == nil && parser.isInsideMessage, at: now)
        if hasPeerEnded, pending == nil { close(.peerClosed) }
    }

    /// Whether a further message may be handled in this step; if not, and bytes wait, the connection is behind.
    private mutating func hasAllowance() -> Bool {
        if messageAllowance == 0 { hasUnprocessedMessages = parser.waitingByteCount > 0 }
        return messageAllowance > 0
    }

    private mutating func handle(_ element: Parser.Element, at now: MonotonicTime) {
        switch element {
        case .request(let request):
            timer.requestCame(at: now)
            handle(request, at: now)
        case .interleaved(let channel, let bytes):
            guard let session = channels.owner(of: channel) else { return }
            sessions.heard(session, at: now)
            order(.receivedInterleaved(session, channel: channel, bytes))
        case .response:
            // This server asks nothing of clients.
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

    /// Forgets a session and has its sending ended.
    mutating func end(_ session: SessionID, _ reason: SessionEnd) {
        sessions[session] = nil
        channels.release(session)
        order(.tearDown(session, reason))
    }

    private mutating func closeAfter(_ error: ParseError) {
        guard error.fault == .http else {
            send(Response(error.status), to: error.cSeq)
            return close(.malformed(error))
        }
        // VLC tries HTTP after a failed DESCRIBE and would wait for this answer.
        let answer = "HTTP/1.0 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        order(.send(Array(answer.utf8)))
        close(.peerSpokeHTTP)
    }

    private mutating func close(_ reason: CloseReason) {
        guard !isClosed else { return }
        isClosed = true
        hasUnprocessedMessages = false
        pending = nil
        for session in sessions.sessions { end(session.id, .connectionClosed(reason)) }
        order(.close(reason))
    }
}

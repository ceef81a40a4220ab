import Media
import RTP

/// The server's answers to pending requests, and the responses that they become.
///
/// An answer to a request that is not pending has no effect. After ``ServerAction/close(_:)`` the caller must release the
/// resources that it reserved for the answer.
extension ServerConnection {
    /// Whether the request is still pending; it may have been refused in the meantime.
    public func awaits(_ id: RequestID) -> Bool { pending?.id == id }

    /// A DESCRIBE was answered.
    public mutating func described(_ id: RequestID, _ answer: Result<DescribeAnswer, Refusal>, at now: MonotonicTime) {
        guard let pending, pending.id == id, case .describe(let request) = pending.kind else { return }
        switch answer {
        case .success(let description):
            let headers: Headers = [.contentBase: request.baseURL, .contentType: "application/sdp"]
            finish(Response(.ok, headers: headers, body: description.sdp), in: nil, at: now)
        case .failure(let refusal): finish(Response(refusal), in: nil, at: now)
        }
    }

    /// A SETUP was answered. A new session gets the ID `freshSession`.
    ///
    /// - Returns: the session that contains the track; `nil` if the answer has no effect or is a refusal.
    @discardableResult
    public mutating func setUp(
        _ id: RequestID, _ answer: Result<SetUpAnswer, Refusal>, at now: MonotonicTime
    ) -> SessionID? {
        guard let pending, pending.id == id else { return nil }
        if case .setUpPublisher(let request, let url) = pending.kind {
            return setUpPublisher(request, at: url, answer, at: now)
        }
        guard case .setUp(let request, let url) = pending.kind else { return nil }
        switch answer {
        case .success(let answer):
            let session = request.session ?? answer.freshSession
            let streamID = request.encapsulation == .transportStream ? answer.streamID : nil
            let trackURL = streamID.map(url.url) ?? url.text
            let track = SetUpTrack(control: request.track, url: trackURL, transport: answer.transport)
            add(track, to: session, of: request, streamID: streamID, at: now)
            var headers: Headers = [.transport: answer.transport.transport.headerValue]
            headers[.streamID] = streamID.map(String.init)
            finish(Response(.ok, headers: headers), in: session, at: now)
            return session
        case .failure(let refusal):
            finish(Response(refusal), in: request.session, at: now)
            return nil
        }
    }

    /// A PLAY was answered. If it succeeded, packets are sent after the response and before the requests behind it are handled.
    public mutating func played(_ id: RequestID, _ answer: Result<PlayAnswer, Refusal>, at now: MonotonicTime) {
        guard let pending, pending.id == id, case .play(let session) = pending.kind else { return }
        switch answer {
        case .success(let answer):
            sessions[session]?.played()
            var headers = Headers()
            if let range = answer.range { headers[.range] = range.headerValue }
            if !answer.rtpInfo.entries.isEmpty { headers[.rtpInfo] = answer.rtpInfo.headerValue }
            finish(Response(.ok, headers: headers), in: session, then: .startSending(session), at: now)
        case .failure(let refusal): finish(Response(refusal), in: session, at: now)
        }
    }

    private mutating func add(
        _ track: SetUpTrack, to id: SessionID, of request: SetUpRequest, streamID: UInt16?, at now: MonotonicTime
    ) {
        if request.session == nil {
            sessions[id] = ServerSession(id, request, track, streamID: streamID, at: now)
        } else {
            sessions[id]?.setUp(track, joining: request.join)
        }
        if case .interleaved(let pair, _, _) = track.transport { channels.take(pair, for: id) }
    }

    /// Sends the response to the pending request, orders the action that follows it, then handles the requests behind it.
    mutating func finish(
        _ response: Response, in session: SessionID?, then action: ServerAction? = nil, at now: MonotonicTime
    ) {
        guard let pending else { return }
        self.pending = nil
        // The session has not timed out meanwhile, because the client's later requests were waiting.
        if let session { sessions.noteActivity(of: session, at: now) }
        timer.receivedRequest(at: now)
        send(response, to: pending.cSeq, in: session)
        if let action { order(action) }
        readMessages(at: now)
    }

    /// Orders a response with the common headers.
    ///
    /// - Parameter cSeq: `nil` if the request had no readable one.
    mutating func send(_ response: Response, to cSeq: CSeq?, in session: SessionID? = nil) {
        var complete = response
        complete.headers = [:]
        if let cSeq { complete.headers.append(.cSeq, cSeq.headerValue) }
        complete.headers.append(.server, configuration.serverName)
        if let session {
            let header = SessionHeader(session, timeoutSeconds: configuration.sessionTimeoutSeconds)
            complete.headers.append(.session, header.headerValue)
        }
        for field in response.headers.fields { complete.headers.append(field.name, field.value) }
        order(.send(Writer.bytes(of: complete)))
    }

    mutating func send(_ refusal: Refusal, to cSeq: CSeq) {
        send(Response(refusal), to: cSeq)
    }
}

extension Response {
    init(_ refusal: Refusal) {
        self.init(refusal.status, reason: refusal.reason, headers: refusal.headers)
    }
}

import Media
import RTP

/// The answers to requests that only the server can answer, and the responses that they become.
///
/// An answer to a request that is not the pending one has no effect: after ``ServerAction/close(_:)`` whoever answers
/// takes back what it has laid out for it.
extension ServerConnection {
    /// Whether the request still waits for its answer: it may have been refused in the meantime.
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

    /// A SETUP was answered; if it makes a session, that has the fresh name from now on.
    ///
    /// - Returns: the session that has got the track; `nil` if the answer has no effect or refuses.
    @discardableResult
    public mutating func setUp(
        _ id: RequestID, _ answer: Result<SetUpAnswer, Refusal>, at now: MonotonicTime
    ) -> SessionID? {
        guard let pending, pending.id == id, case .setUp(let request, let url) = pending.kind else { return nil }
        switch answer {
        case .success(let answer):
            let session = request.session ?? answer.freshSession
            let streamID = request.encapsulation == .transportStream ? answer.streamID : nil
            let trackURL = streamID.map(url.url) ?? url.text
            let track = SetUpTrack(control: request.track, url: trackURL, transport: answer.transport)
            add(track, to: session, request, streamID, now)
            var headers: Headers = [.transport: answer.transport.transport.headerValue]
            headers[.streamID] = streamID.map(String.init)
            finish(Response(.ok, headers: headers), in: session, at: now)
            return session
        case .failure(let refusal):
            finish(Response(refusal), in: request.session, at: now)
            return nil
        }
    }

    /// A PLAY was answered: packets may leave behind the response that is ordered now.
    public mutating func played(_ id: RequestID, _ answer: Result<PlayAnswer, Refusal>, at now: MonotonicTime) {
        guard let pending, pending.id == id, case .play(let session) = pending.kind else { return }
        switch answer {
        case .success(let answer):
            sessions[session]?.played()
            var headers = Headers()
            if let range = answer.range { headers[.range] = range.headerValue }
            if !answer.rtpInfo.entries.isEmpty { headers[.rtpInfo] = answer.rtpInfo.headerValue }
            finish(Response(.ok, headers: headers), in: session, at: now)
        case .failure(let refusal): finish(Response(refusal), in: session, at: now)
        }
    }

    private mutating func add(
        _ track: SetUpTrack, to id: SessionID, _ request: SetUpRequest, _ streamID: UInt16?, _ now: MonotonicTime
    ) {
        if request.session == nil {
            sessions[id] = ServerSession(id, request, track, streamID: streamID, at: now)
        } else {
            sessions[id]?.setUp(track, joining: request.join)
        }
        if case .interleaved(let pair, _, _) = track.transport { channels.take(pair, for: id) }
    }

    /// Sends the pending request's response and goes on with those behind it.
    mutating func finish(_ response: Response, in session: SessionID?, at now: MonotonicTime) {
        guard let pending else { return }
        self.pending = nil
        // The client could not have spoken meanwhile: what it said waits.
        if let session { sessions.heard(session, at: now) }
        timer.requestCame(at: now)
        send(response, to: pending.cSeq, in: session)
        readMessages(at: now)
    }

    /// Orders a response to be sent, with the headers that all have.
    ///
    /// - Parameter cSeq: `nil` where the request had none that could be read.
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

import Media
import RTP

/// Access control, which precedes the handling of every request (RFC 2326, section 10: any method may be answered 401).
extension ServerConnection {
    /// Applies a new access policy.
    ///
    /// A session ends if its client may no longer watch the stream, and the connection ends with its last session. Other sessions
    /// are not affected.
    ///
    /// - Parameters:
    ///   - policy: `nil` if every client may do everything.
    ///   - paths: the real paths of the sessions' streams, because a client may have changed the case of its URL.
    public mutating func accessChanged(
        to policy: AccessPolicy?, paths: [SessionID: String], at now: MonotonicTime
    ) {
        guard !isClosed else { return }
        let former = authenticator?.policy
        authenticator = policy.map { authenticator?.applying($0) ?? makeAuthenticator($0) }
        for session in sessions.sessions {
            let path = paths[session.id] ?? session.path
            if let grant = renewed(session.grant, .read, session.encapsulation, at: path, since: former) {
                sessions[session.id]?.grant = grant
            } else {
                withdraw(session.id, .permissionLost, at: now)
            }
        }
        reviewPublication(since: former, at: now)
        refuseForbiddenRequest(since: former, at: now)
    }

    func makeAuthenticator(_ policy: AccessPolicy) -> Authenticator {
        Authenticator(policy, lockOut: lockOut, peer: peer, security: security)
    }

    private func renewed(
        _ grant: Grant, _ right: Right, _ encapsulation: RTPEncapsulation, at path: String, since former: AccessPolicy?
    ) -> Grant? {
        guard let authenticator else { return .everything }
        return authenticator.renewed(grant, right, encapsulation, at: path, since: former)
    }

    /// Ends the publication if its client may no longer publish there.
    private mutating func reviewPublication(since former: AccessPolicy?, at now: MonotonicTime) {
        guard let publication else { return }
        if let grant = renewed(publication.request.grant, .publish, .tracks, at: publication.path, since: former) {
            self.publication?.request.grant = grant
        } else if let session = publication.session {
            withdraw(session, .permissionLost, at: now)
        } else {
            self.publication = nil
        }
    }

    /// Answers the pending request with a challenge if the client is no longer allowed to send it.
    private mutating func refuseForbiddenRequest(since former: AccessPolicy?, at now: MonotonicTime) {
        if case .decision? = pending?.kind {
            // The new policy may not use the external service that was asked.
            return finish(Response(Refusal(.serviceUnavailable)), in: nil, at: now)
        }
        guard let (grant, right, encapsulation, path) = pending?.question,
            renewed(grant, right, encapsulation, at: path, since: former) == nil,
            let refusal = authenticator?.refusal(.noCredentials(encapsulation), at: now)
        else { return }
        finish(Response(refusal), in: nil, at: now)
    }

    /// Authorises a request.
    ///
    /// OPTIONS needs no credentials: clients send it first, without any, and its response reveals nothing about a path.
    mutating func authorise(
        _ request: Request, _ validated: Result<ValidatedRequest, Refusal>, at now: MonotonicTime
    ) throws(AccessFailure) -> Authenticator.Outcome {
        guard authenticator != nil, request.method != .options else { return .granted(.everything) }
        // An invalid request is authorised, too: a client without permission does not learn that its request is invalid.
        let validRequest = try? validated.get()
        if let session = validRequest.flatMap(satIPSession) { return .granted(session.grant) }
        let published = validRequest.flatMap(publishedPath)
        let authorisationRequest = Authenticator.AuthorisationRequest(
            message: request, url: validRequest?.url, path: published,
            right: published == nil ? .read : .publish,
            encapsulation: validRequest.map { published == nil ? encapsulation(of: $0, nil) : .tracks } ?? .tracks)
        return try authenticator?.authorise(authorisationRequest, at: now) ?? .granted(.everything)
    }

    /// Refuses a request that is not authorised.
    mutating func refuse(
        _ validated: Result<ValidatedRequest, Refusal>, _ cSeq: CSeq, because failure: AccessFailure,
        at now: MonotonicTime
    ) {
        // The request came from the session's owner. Players such as ffmpeg ignore the responses to their keepalives and would
        // lose the session when the nonce expires.
        if failure == .staleNonce, let id = try? validated.get().sessionID() { sessions.noteActivity(of: id, at: now) }
        order(.accessRefused(failure))
        let refusal = authenticator?.refusal(failure, at: now) ?? Refusal(.unauthorized)
        guard failure.countsAsGuess, let limits = authenticator?.policy.guessing else {
            return send(refusal, to: cSeq)
        }
        let credentials = (try? validated.get())?.headers[.authorization]
        if credentials == nil || credentials != countedGuess { noteGuess(limits, at: now) }
        countedGuess = credentials
        guard limits.delayMilliseconds > 0 else { return send(refusal, to: cSeq) }
        let due = now.advanced(byMilliseconds: Int64(limits.delayMilliseconds))
        _ = wait(for: .refused(refusal, until: due), cSeq)
    }

    /// Orders an external authorisation, for which the request waits.
    mutating func requestAuthorisation(
        _ question: ExternalAuthorisationRequest, about validated: Result<ValidatedRequest, Refusal>, _ cSeq: CSeq,
        at now: MonotonicTime
    ) {
        let due = now.advanced(byMilliseconds: Int64(configuration.decisionSeconds) * 1_000)
        let decision = PendingRequest.Decision(question: question, request: validated, due: due)
        order(.decide(wait(for: .decision(decision), cSeq), question))
    }

    /// The external service has decided about a request.
    public mutating func decided(_ id: RequestID, _ decision: AccessDecision, at now: MonotonicTime) {
        guard let pending, pending.id == id, case .decision(let waiting) = pending.kind else { return }
        self.pending = nil
        timer.receivedRequest(at: now)
        switch decision {
        case .admitted:
            let grant = authenticator?.admit(waiting.question) ?? .everything
            execute(waiting.request, for: grant, pending.cSeq, at: now)
        case .refused:
            let countsAsGuess = waiting.question.hasCredentials
            refuse(waiting.request, pending.cSeq, because: .deniedExternally(countsAsGuess: countsAsGuess), at: now)
        case .unavailable:
            let refusal = Refusal(
                .serviceUnavailable, reason: "Service Unavailable: the authorisation service does not answer")
            send(refusal, to: pending.cSeq)
        case .tooManyWaiting:
            let refusal = Refusal(
                .serviceUnavailable,
                reason: "Service Unavailable: too many requests from this address wait for a decision",
                headers: [.retryAfter: "1"])
            send(refusal, to: pending.cSeq)
        }
        readMessages(at: now)
    }

    /// Counts a wrong password, and orders a log entry if the address is now locked out.
    private mutating func noteGuess(_ limits: GuessLimits, at now: MonotonicTime) {
        guard authenticator?.countGuess(at: now) == true else { return }
        order(.addressLockedOut(seconds: limits.lockOutSeconds))
    }

    /// The SAT>IP session that a request belongs to. VLC sends credentials only in SETUP; later requests are recognised by their
    /// connection and session ID.
    private func satIPSession(of request: ValidatedRequest) -> ServerSession? {
        guard let id = try? request.sessionID(), let session = sessions[id], session.encapsulation == .transportStream,
            let url = request.url, session.isAddressed(by: url)
        else { return nil }
        return session
    }
}

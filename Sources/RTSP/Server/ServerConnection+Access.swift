import Media
import RTP

/// Who asks comes before what is asked (RFC 2326, section 10: any method may be answered 401).
extension ServerConnection {
    /// Who may do what has changed. A session ends whose client may not watch its stream any more, and with the last one the
    /// connection; all others notice nothing.
    ///
    /// - Parameters:
    ///   - policy: `nil` where everybody may do everything.
    ///   - paths: of the sessions' streams as the server knows them, where clients may have lost the case.
    public mutating func accessChanged(
        to policy: AccessPolicy?, paths: [SessionID: String], at now: MonotonicTime
    ) {
        guard !isClosed else { return }
        let former = authenticator?.policy
        authenticator = policy.map { authenticator?.following($0) ?? makeAuthenticator($0) }
        for session in sessions.sessions {
            let path = paths[session.id] ?? session.path
            if let grant = renewed(session.grant, session.encapsulation, at: path, since: former) {
                sessions[session.id]?.grant = grant
            } else {
                withdraw(session.id, .right, at: now)
            }
        }
        refuseForbiddenRequest(since: former, at: now)
    }

    func makeAuthenticator(_ policy: AccessPolicy) -> Authenticator {
        Authenticator(policy, lockOut: lockOut, peer: peer, security: security)
    }

    private func renewed(
        _ grant: Grant, _ encapsulation: RTPEncapsulation, at path: String, since former: AccessPolicy?
    ) -> Grant? {
        guard let authenticator else { return .everything }
        return authenticator.renewed(grant, encapsulation, at: path, since: former)
    }

    /// A request whose answer is waited for asks again who it is, if it may not be answered any more.
    private mutating func refuseForbiddenRequest(since former: AccessPolicy?, at now: MonotonicTime) {
        if case .decision? = pending?.kind {
            // It was asked of somebody who may have nothing to say any more.
            return finish(Response(Refusal(.serviceUnavailable)), in: nil, at: now)
        }
        guard let (grant, encapsulation, path) = pending?.question,
            renewed(grant, encapsulation, at: path, since: former) == nil,
            let refusal = authenticator?.refusal(.noCredentials(encapsulation), at: now)
        else { return }
        finish(Response(refusal), in: nil, at: now)
    }

    /// What the sender of a request may do.
    ///
    /// OPTIONS is anybody's: clients ask it before they think of credentials, and it tells nothing of any path.
    mutating func authorise(
        for request: Request, _ validated: Result<ValidatedRequest, Refusal>, at now: MonotonicTime
    ) throws(AccessFailure) -> Authenticator.Outcome {
        guard authenticator != nil, request.method != .options else { return .granted(.everything) }
        // Neither does what cannot be asked for open anything, nor is it called so to those who may not ask.
        let admitted = try? validated.get()
        if let session = admitted.flatMap(tuned) { return .granted(session.grant) }
        let inquiry = Authenticator.AuthorisationRequest(
            request: request, url: admitted?.url, right: request.method.right,
            encapsulation: admitted.map { encapsulation(of: $0, nil) } ?? .tracks)
        return try authenticator?.authorise(for: inquiry, at: now) ?? .granted(.everything)
    }

    /// Refuses a request because of who sent it.
    mutating func refuse(
        _ validated: Result<ValidatedRequest, Refusal>, _ cSeq: CSeq, because failure: AccessFailure,
        at now: MonotonicTime
    ) {
        // It came from whom the session belongs to. Players that send a keepalive and do not look at its answer, as
        // ffmpeg, would lose their session for the one that finds the nonce expired.
        if failure == .staleNonce, let id = try? validated.get().sessionID() { sessions.heard(id, at: now) }
        order(.accessRefused(failure))
        let refusal = authenticator?.refusal(failure, at: now) ?? Refusal(.unauthorized)
        guard failure.isGuess, let limits = authenticator?.policy.guessing else {
            return send(refusal, to: cSeq)
        }
        noteGuess(limits, at: now)
        guard limits.delayMilliseconds > 0 else { return send(refusal, to: cSeq) }
        let due = now.advanced(byMilliseconds: Int64(limits.delayMilliseconds))
        _ = wait(for: .refused(refusal, until: due), cSeq)
    }

    /// Has somebody else decide, for whom the request waits.
    mutating func ask(
        _ question: ExternalAuthorisationRequest, about validated: Result<ValidatedRequest, Refusal>, _ cSeq: CSeq,
        at now: MonotonicTime
    ) {
        let due = now.advanced(byMilliseconds: Int64(configuration.decisionSeconds) * 1_000)
        let decision = PendingRequest.Decision(question: question, request: validated, due: due)
        order(.decide(wait(for: .decision(decision), cSeq), question))
    }

    /// Somebody else has decided about a request.
    public mutating func decided(_ id: RequestID, _ decision: AccessDecision, at now: MonotonicTime) {
        guard let pending, pending.id == id, case .decision(let waiting) = pending.kind else { return }
        self.pending = nil
        timer.requestCame(at: now)
        switch decision {
        case .admitted:
            let grant = authenticator?.admit(waiting.question) ?? .everything
            execute(waiting.request, for: grant, pending.cSeq, at: now)
        case .refused:
            let isGuess = waiting.question.hasCredentials
            refuse(waiting.request, pending.cSeq, because: .deniedExternally(isGuess: isGuess), at: now)
        case .unavailable:
            let refusal = Refusal(.serviceUnavailable, reason: "Service Unavailable: nobody decides who may watch")
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

    /// Counts a wrong password, and tells where the address is locked out by it.
    private mutating func noteGuess(_ limits: GuessLimits, at now: MonotonicTime) {
        guard authenticator?.guessed(at: now) == true else { return }
        order(.addressLockedOut(seconds: limits.lockOutSeconds))
    }

    /// The session of SAT>IP that a request is for: VLC names its user in SETUP alone. The connection and the session's name
    /// say the rest.
    private func tuned(_ request: ValidatedRequest) -> ServerSession? {
        guard let id = try? request.sessionID(), let session = sessions[id], session.encapsulation == .transportStream,
            let url = request.url, session.isMeant(by: url)
        else { return nil }
        return session
    }
}

extension Method {
    /// What one must be allowed to do to a path for a request of this method.
    var right: Right { self == .announce || self == .record ? .publish : .read }
}

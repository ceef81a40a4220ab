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
        let former = gatekeeper?.policy
        gatekeeper = policy.map { gatekeeper?.following($0) ?? Gatekeeper($0, peer: peer, security: security) }
        for session in sessions.sessions {
            let path = paths[session.id] ?? session.path
            if let grant = renewed(session.grant, session.form, at: path, since: former) {
                sessions[session.id]?.grant = grant
            } else {
                withdraw(session.id, .right, at: now)
            }
        }
        refuseForbiddenRequest(since: former, at: now)
    }

    private func renewed(
        _ grant: Grant, _ form: StreamForm, at path: String, since former: AccessPolicy?
    ) -> Grant? {
        guard let gatekeeper else { return .everything }
        return gatekeeper.renewed(grant, form, at: path, since: former)
    }

    /// A request whose answer is waited for asks again who it is, if it may not be answered any more.
    private mutating func refuseForbiddenRequest(since former: AccessPolicy?, at now: MonotonicTime) {
        guard let (grant, form, path) = pending?.question,
            renewed(grant, form, at: path, since: former) == nil,
            let refusal = gatekeeper?.refusal(.noCredentials(form), at: now)
        else { return }
        finish(Response(refusal), in: nil, at: now)
    }

    /// What the sender of a request may do.
    ///
    /// OPTIONS is anybody's: clients ask it before they think of credentials, and it tells nothing of any path.
    mutating func grant(
        for request: Request, _ judged: Result<AdmittedRequest, Refusal>, at now: MonotonicTime
    ) throws(Refusal) -> Grant {
        guard gatekeeper != nil, request.method != .options else { return .everything }
        // Neither does what cannot be asked for open anything, nor is it called so to those who may not ask.
        let admitted = try? judged.get()
        if let session = admitted.flatMap(tuned) { return session.grant }
        let inquiry = Gatekeeper.Inquiry(
            request: request, url: admitted?.url, right: request.method.right,
            form: admitted.map { form(of: $0, nil) } ?? .tracks)
        do throws(AccessFailure) {
            return try gatekeeper?.grant(for: inquiry, at: now) ?? .everything
        } catch {
            // It came from whom the session belongs to. Players that send a keepalive and do not look at its answer, as
            // ffmpeg, would lose their session for the one that finds the nonce expired.
            if error == .staleNonce, let id = try? admitted?.sessionID() { sessions.heard(id, at: now) }
            order(.accessRefused(error))
            throw gatekeeper?.refusal(error, at: now) ?? Refusal(.unauthorized)
        }
    }

    /// The session of SAT>IP that a request is for: VLC names its user in SETUP alone. The connection and the session's name
    /// say the rest.
    private func tuned(_ request: AdmittedRequest) -> Session? {
        guard let id = try? request.sessionID(), let session = sessions[id], session.form == .transportStream,
            let url = request.url, session.isMeant(by: url)
        else { return nil }
        return session
    }
}

extension Method {
    /// What one must be allowed to do to a path for a request of this method.
    var right: Right { self == .announce || self == .record ? .publish : .read }
}

import Media
import RTP

/// The handling of each method (RFC 2326, section 10).
extension ServerConnection {
    /// Answers a request, or makes it wait for its answer.
    mutating func handle(_ request: Request, at now: MonotonicTime) {
        guard let cSeq = CSeq(request.headers) else { return send(Response(.badRequest), to: nil) }
        guard request.version == .one else { return send(Refusal(.versionNotSupported), to: cSeq) }
        let validated = Result { () throws(Refusal) in try ValidatedRequest(request) }
        do throws(AccessFailure) {
            // A client without permission does not learn whether its request is valid.
            switch try authorise(request, validated, at: now) {
            case .granted(let grant):
                execute(validated, for: grant, cSeq, at: now)
            case .needsExternalDecision(let question): requestAuthorisation(question, about: validated, cSeq, at: now)
            }
        } catch {
            refuse(validated, cSeq, because: error, at: now)
        }
    }

    /// Answers an authorised request, or makes it wait for its answer.
    mutating func execute(
        _ validated: Result<ValidatedRequest, Refusal>, for grant: Grant, _ cSeq: CSeq, at now: MonotonicTime
    ) {
        do throws(Refusal) {
            let validRequest = try validated.get()
            if publishedPath(of: validRequest) != nil {
                return try executePublishing(validRequest, for: grant, cSeq, at: now)
            }
            let session = try session(of: validRequest, for: grant, at: now)
            let encapsulation = encapsulation(of: validRequest, session)
            if let url = validRequest.url {
                try admitNumber(in: url, of: validRequest.method, session, encapsulation)
                try encapsulation.admit(url)
            }
            try execute(validRequest, for: grant, in: session, encapsulation: encapsulation, cSeq, at: now)
        } catch {
            send(error, to: cSeq)
        }
    }

    /// The session that the request names. The request counts as activity of the session.
    private mutating func session(
        of request: ValidatedRequest, for grant: Grant, at now: MonotonicTime
    ) throws(Refusal) -> ServerSession? {
        guard let id = try request.sessionID() else { return nil }
        if id == publication?.session, isAllowed(request, grant, toName: publication?.request.grant) {
            publication?.noteActivity(of: id, at: now)
            return nil
        }
        // Sessions of other connections and other users are unknown here, so a client can neither keep nor end them. OPTIONS
        // carries no user.
        guard let session = sessions[id], isAllowed(request, grant, toName: session.grant) else {
            throw Refusal(.sessionNotFound)
        }
        sessions.noteActivity(of: id, at: now)
        return session
    }

    /// Whether a request may name a session of a user.
    private func isAllowed(_ request: ValidatedRequest, _ grant: Grant, toName owner: Grant?) -> Bool {
        request.method == .options || owner?.user == grant.user
    }

    /// The encapsulation for a request. A session keeps the one with which it was set up.
    func encapsulation(of request: ValidatedRequest, _ session: ServerSession?) -> RTPEncapsulation {
        session?.encapsulation ?? (!hasDescribed && SATIP.opens(request) ? .transportStream : .tracks)
    }

    /// Checks that a URL with a stream number comes with the ID of the session that has this number.
    ///
    /// The check does not apply to requests for a path of that spelling: DESCRIBE, and a SETUP of tracks.
    private func admitNumber(
        in url: RequestURL, of method: Method, _ session: ServerSession?, _ encapsulation: RTPEncapsulation
    ) throws(Refusal) {
        guard url.streamID != nil, method != .describe, session?.isAddressed(by: url) != true else { return }
        guard session == nil, method == .setUp, encapsulation == .tracks else { throw Refusal(.sessionNotFound) }
    }

    private mutating func execute(
        _ request: ValidatedRequest, for grant: Grant, in session: ServerSession?, encapsulation: RTPEncapsulation,
        _ cSeq: CSeq,
        at now: MonotonicTime
    ) throws(Refusal) {
        switch request.method {
        case .options: send(Response(.ok, headers: [.public: Method.servedList]), to: cSeq, in: session?.id)
        case .describe: try describe(request, for: grant, cSeq)
        case .setUp: try setUp(request, for: grant, in: session, encapsulation: encapsulation, cSeq)
        case .getParameter, .setParameter: try parameters(request, session, cSeq)
        case .play: try play(request, try required(session, by: request), cSeq)
        case .pause: try pause(try required(session, by: request), cSeq)
        case .tearDown: tearDown(try required(session, by: request), cSeq, at: now)
        default: throw Refusal(.notImplemented)
        }
    }

    /// The session of a request that controls one, if the URL belongs to it.
    private func required(_ session: ServerSession?, by request: ValidatedRequest) throws(Refusal) -> ServerSession {
        let url = try request.requiredURL()
        guard let session else { throw Refusal(.sessionNotFound) }
        try session.admitControl(at: url)
        return session
    }

    private mutating func describe(
        _ request: ValidatedRequest, for grant: Grant, _ cSeq: CSeq
    ) throws(Refusal) {
        let url = try request.requiredURL()
        hasDescribed = true
        describedJoin = try RequestedJoin(query: url.query).map { (url.wholePath, $0) }
        guard request.acceptsSDP else { throw Refusal(.notAcceptable) }
        let describe = DescribeRequest(
            path: url.wholePath, query: url.query, baseURL: url.base, userAgent: request.userAgent, grant: grant)
        order(.describe(wait(for: .describe(describe), cSeq), describe))
    }

    private mutating func setUp(
        _ request: ValidatedRequest, for grant: Grant, in session: ServerSession?, encapsulation: RTPEncapsulation,
        _ cSeq: CSeq
    ) throws(Refusal) {
        let url = try request.requiredURL()
        if let session {
            try session.admitSetUp(at: url)
        } else {
            try sessions.admitOneMore()
        }
        let offers = try TransportChoice.offers(
            in: request.headers, for: encapsulation, peer: peer, protection: mediaProtection, channels: channels,
            maximumCount: configuration.maximumOfferCount)
        let isSecure = offers.contains { $0.profile.isSecure }
        let setUp = SetUpRequest(
            path: url.path, query: url.query, track: url.track, session: session?.id, encapsulation: encapsulation,
            offers: offers,
            clientKey: try isSecure ? KeyManagementHeader.senderKey(in: request.headers)?.key : nil,
            userAgent: request.userAgent, userInformation: url.userInformation, grant: grant,
            join: try requestedJoin(at: url))
        order(.setUp(wait(for: .setUp(setUp, url: url), cSeq), setUp))
    }

    /// The join mode for a SETUP at `url`: from its own URL, else from the URL of the DESCRIBE before it.
    private func requestedJoin(at url: RequestURL) throws(Refusal) -> RequestedJoin? {
        if let join = try RequestedJoin(query: url.query) { return join }
        return describedJoin?.path == url.path ? describedJoin?.join : nil
    }

    /// How media must be protected on this connection.
    var mediaProtection: TransportChoice.Protection {
        guard security == .tls else { return .none }
        return configuration.servesSRTP ? .connectionOrSRTP : .connection
    }

    private mutating func play(_ request: ValidatedRequest, _ session: ServerSession, _ cSeq: CSeq) throws(Refusal) {
        let range = try request.range()
        let join = try RequestedJoin(query: request.url?.query) ?? session.join
        guard session.state == .ready else { return send(Response(.ok), to: cSeq, in: session.id) }
        let play = PlayRequest(
            session: session.id, path: session.path, query: session.query, tracks: session.tracks, range: range,
            userAgent: request.userAgent, join: join)
        order(.play(wait(for: .play(session.id), cSeq), play))
    }

    private mutating func pause(_ session: ServerSession, _ cSeq: CSeq) throws(Refusal) {
        if session.state == .playing {
            sessions[session.id]?.paused()
            order(.pause(session.id))
        }
        send(Response(.ok), to: cSeq, in: session.id)
    }

    private mutating func tearDown(_ session: ServerSession, _ cSeq: CSeq, at now: MonotonicTime) {
        end(session.id, .tornDown)
        timer.sessionEnded(at: now)
        send(Response(.ok), to: cSeq)
    }

    /// Answers GET_PARAMETER and SET_PARAMETER. Without parameters, both are the keepalive of most clients; the server has none.
    private mutating func parameters(
        _ request: ValidatedRequest, _ session: ServerSession?, _ cSeq: CSeq
    ) throws(Refusal) {
        guard request.hasNoParameters else { throw Refusal(.parameterNotUnderstood) }
        send(Response(.ok), to: cSeq, in: session?.id)
    }
}

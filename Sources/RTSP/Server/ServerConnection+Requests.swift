import Media
import RTP

/// What each method does (RFC 2326, section 10).
extension ServerConnection {
    /// Answers a request, or makes it wait for its answer.
    mutating func handle(_ request: Request, at now: MonotonicTime) {
        guard let cSeq = CSeq(request.headers) else { return send(Response(.badRequest), to: nil) }
        guard request.version == .one else { return send(Refusal(.versionNotSupported), to: cSeq) }
        let validated = Result { () throws(Refusal) in try ValidatedRequest(request) }
        do throws(AccessFailure) {
            // Who may not ask is not told what is wrong with the question.
            switch try authorise(for: request, validated, at: now) {
            case .granted(let grant): execute(validated, for: grant, cSeq, at: now)
            case .needsExternalDecision(let question): ask(question, about: validated, cSeq, at: now)
            }
        } catch {
            refuse(validated, cSeq, because: error, at: now)
        }
    }

    /// Answers a request whose sender may send it, or makes it wait for its answer.
    mutating func execute(
        _ validated: Result<ValidatedRequest, Refusal>, for grant: Grant, _ cSeq: CSeq, at now: MonotonicTime
    ) {
        do throws(Refusal) {
            let admitted = try validated.get()
            let session = try session(of: admitted, for: grant, at: now)
            let encapsulation = encapsulation(of: admitted, session)
            if let url = admitted.url {
                try admitNumber(in: url, of: admitted.method, session, encapsulation)
                try encapsulation.admit(url)
            }
            try execute(admitted, for: grant, session, encapsulation, cSeq, at: now)
        } catch {
            send(error, to: cSeq)
        }
    }

    /// The session that the request names, which has thereby shown life.
    private mutating func session(
        of request: ValidatedRequest, for grant: Grant, at now: MonotonicTime
    ) throws(Refusal) -> ServerSession? {
        guard let id = try request.sessionID() else { return nil }
        // A name of another connection's session is unknown here, and so is another user's: no one keeps or ends what is
        // not theirs. OPTIONS asks for nobody.
        guard let session = sessions[id], request.method == .options || session.grant.user == grant.user else {
            throw Refusal(.sessionNotFound)
        }
        sessions.heard(id, at: now)
        return session
    }

    /// A session keeps the form in which it was set up.
    func encapsulation(of request: ValidatedRequest, _ session: ServerSession?) -> RTPEncapsulation {
        session?.encapsulation ?? (!hasDescribed && SATIP.opens(request) ? .transportStream : .tracks)
    }

    /// Whether a URL that names a stream by number stands beside the name of the session that has the number.
    ///
    /// Not so in a request that may mean a path of that spelling: DESCRIBE, and a SETUP of tracks.
    private func admitNumber(
        in url: RequestURL, of method: Method, _ session: ServerSession?, _ encapsulation: RTPEncapsulation
    ) throws(Refusal) {
        guard url.streamID != nil, method != .describe, session?.isMeant(by: url) != true else { return }
        guard session == nil, method == .setUp, encapsulation == .tracks else { throw Refusal(.sessionNotFound) }
    }

    private mutating func execute(
        _ request: ValidatedRequest, for grant: Grant, _ session: ServerSession?, _ encapsulation: RTPEncapsulation,
        _ cSeq: CSeq,
        at now: MonotonicTime
    ) throws(Refusal) {
        switch request.method {
        case .options: send(Response(.ok, headers: [.public: Method.servedList]), to: cSeq, in: session?.id)
        case .describe: try describe(request, for: grant, cSeq)
        case .setUp: try setUp(request, for: grant, session, encapsulation, cSeq)
        case .getParameter, .setParameter: try parameters(request, session, cSeq)
        case .play: try play(request, try required(session, by: request), cSeq)
        case .pause: try pause(try required(session, by: request), cSeq)
        case .tearDown: tearDown(try required(session, by: request), cSeq, at: now)
        default: throw Refusal(.notImplemented)
        }
    }

    /// The session of a method that controls one, if the URL means it.
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
        _ request: ValidatedRequest, for grant: Grant, _ session: ServerSession?, _ encapsulation: RTPEncapsulation,
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
        let isSecure = offers.contains { $0.profile == .secure }
        let setUp = SetUpRequest(
            path: url.path, query: url.query, track: url.track, session: session?.id, encapsulation: encapsulation,
            offers: offers,
            clientKey: try isSecure ? KeyManagementHeader.clientKey(in: request.headers) : nil,
            userAgent: request.userAgent, userInformation: url.userInformation, grant: grant,
            join: try requestedJoin(at: url))
        order(.setUp(wait(for: .setUp(setUp, url: url), cSeq), setUp))
    }

    /// How a SETUP at `url` asks to join: by its own URL, else by that of the DESCRIBE before it.
    private func requestedJoin(at url: RequestURL) throws(Refusal) -> RequestedJoin? {
        if let join = try RequestedJoin(query: url.query) { return join }
        return describedJoin?.path == url.path ? describedJoin?.join : nil
    }

    /// What protects media on its way.
    private var mediaProtection: TransportChoice.Protection {
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

    /// Without parameters, both are the keepalive of most clients; there is no parameter yet.
    private mutating func parameters(
        _ request: ValidatedRequest, _ session: ServerSession?, _ cSeq: CSeq
    ) throws(Refusal) {
        let isEmpty = request.body.allSatisfy { $0.isLinearWhiteSpace || $0 == 0x0D || $0 == 0x0A }
        guard isEmpty else { throw Refusal(.parameterNotUnderstood) }
        send(Response(.ok), to: cSeq, in: session?.id)
    }
}

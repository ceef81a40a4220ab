import Media
import RTP
import SDP

/// Publishing: ANNOUNCE, SETUP and RECORD of a client that sends a stream to the server (RFC 2326, sections 10.3 and 10.11).
extension ServerConnection {
    /// The path of the stream that a request publishes; `nil` if the request is not about publishing.
    ///
    /// After ANNOUNCE these are all requests for the announced stream, except DESCRIBE and those that name a session of a viewer.
    func publishedPath(of request: ValidatedRequest) -> String? {
        guard let url = request.url else { return nil }
        switch request.method {
        case .announce: return url.wholePath
        case .record:
            return publication.map { $0.request.isAddressed(by: url) ? $0.path : url.wholePath } ?? url.wholePath
        case .setUp, .pause, .tearDown, .getParameter, .setParameter:
            guard let publication, publication.request.isAddressed(by: url) else { return nil }
            guard let session = try? request.sessionID() else { return publication.path }
            return session == publication.session ? publication.path : nil
        default: return nil
        }
    }

    mutating func executePublishing(
        _ request: ValidatedRequest, for grant: Grant, _ cSeq: CSeq, at now: MonotonicTime
    ) throws(Refusal) {
        let url = try request.requiredURL()
        if request.method == .announce { return try announce(request, at: url, for: grant, cSeq) }
        // Without ANNOUNCE, there is no session to record.
        guard let publication else { throw Refusal(.methodNotValidInThisState, reason: "ANNOUNCE Missing") }
        if let session = try request.sessionID() {
            guard session == publication.session, publication.request.grant.user == grant.user else {
                throw Refusal(.sessionNotFound)
            }
            self.publication?.noteActivity(of: session, at: now)
        }
        if request.method == .setUp { return try setUpPublisher(request, at: url, of: publication, cSeq) }
        guard let session = publication.session else { throw Refusal(.methodNotValidInThisState) }
        switch request.method {
        case .record: record(publication, session, cSeq)
        case .pause:
            self.publication?.paused(at: now)
            send(Response(.ok), to: cSeq, in: session)
        case .tearDown:
            end(session, .tornDown)
            timer.sessionEnded(at: now)
            send(Response(.ok), to: cSeq)
        default:
            guard request.hasNoParameters else { throw Refusal(.parameterNotUnderstood) }
            send(Response(.ok), to: cSeq, in: session)
        }
    }

    // MARK: Requests

    private mutating func announce(
        _ request: ValidatedRequest, at url: RequestURL, for grant: Grant, _ cSeq: CSeq
    ) throws(Refusal) {
        guard publication?.session == nil else { throw Refusal(.methodNotValidInThisState) }
        let announcement = AnnounceRequest(
            path: url.wholePath, query: url.text.pieces(separatedBy: "?").dropFirst().first.map { String($0) },
            url: url.text, description: try request.announcedDescription(), userAgent: request.userAgent, grant: grant)
        order(.announce(wait(for: .announce(announcement), cSeq), announcement))
    }

    private mutating func setUpPublisher(
        _ request: ValidatedRequest, at url: RequestURL, of publication: Publication, _ cSeq: CSeq
    ) throws(Refusal) {
        let medium = try publication.medium(at: url)
        let offers = try TransportChoice.publisherOffers(
            in: request.headers, protection: mediaProtection, channels: channels,
            maximumCount: configuration.maximumOfferCount)
        let isSecure = offers.contains { $0.profile.isSecure }
        let setUp = PublisherSetUpRequest(
            announcement: publication.request, medium: medium, session: publication.session, offers: offers,
            key: isSecure ? try senderKey(in: request.headers, or: publication.request, medium) : nil)
        order(.setUpPublisher(wait(for: .setUpPublisher(setUp, url: url), cSeq), setUp))
    }

    /// The key of a publisher's packets: that of SETUP, because it is newer, or else that of the announced description.
    ///
    /// - Throws: 463 if there is none, or if it is unusable.
    private func senderKey(
        in headers: Headers, or announcement: AnnounceRequest, _ medium: Int
    ) throws(Refusal) -> SenderKey {
        if let key = try KeyManagementHeader.senderKey(in: headers) { return key }
        guard let key = try announcement.senderKey(ofMedium: medium) else {
            throw .keyManagementFailure("no MIKEY message in KeyMgmt or a=key-mgmt")
        }
        return key
    }

    /// The keys of the media of an announced stream that use SRTP, by the indices of the media; `nil` for a key that may come with
    /// SETUP.
    ///
    /// - Throws: 461 if this connection does not carry keys, 463 if a key is unusable.
    public func senderKeys(of request: AnnounceRequest) throws(Refusal) -> [Int: SenderKey?] {
        var keys: [Int: SenderKey?] = [:]
        for medium in request.description.secureMedia {
            guard mediaProtection == .connectionOrSRTP else { throw .srtpUnavailable(mediaProtection) }
            keys.updateValue(try request.senderKey(ofMedium: medium), forKey: medium)
        }
        return keys
    }

    private mutating func record(_ publication: Publication, _ session: SessionID, _ cSeq: CSeq) {
        if case .recording = publication.state { return send(Response(.ok), to: cSeq, in: session) }
        order(.record(wait(for: .record(session), cSeq), session))
    }

    // MARK: Answers

    /// An ANNOUNCE was answered.
    public mutating func announced(_ id: RequestID, _ answer: Result<AnnounceAnswer, Refusal>, at now: MonotonicTime) {
        guard let pending, pending.id == id, case .announce(let request) = pending.kind else { return }
        switch answer {
        case .success(let answer):
            publication = Publication(request, at: now)
            var response = Response(.ok)
            // GStreamer takes these headers in the order of the media.
            for (medium, key) in answer.keys.sorted(by: { $0.key < $1.key }) {
                response.headers.append(
                    .keyManagement, KeyManagementHeader.value(key, url: request.url(ofMedium: medium)))
            }
            finish(response, in: nil, at: now)
        case .failure(let refusal): finish(Response(refusal), in: nil, at: now)
        }
    }

    /// The SETUP of a published track was answered.
    mutating func setUpPublisher(
        _ request: PublisherSetUpRequest, at url: RequestURL, _ answer: Result<SetUpAnswer, Refusal>,
        at now: MonotonicTime
    ) -> SessionID? {
        switch answer {
        case .success(let answer):
            let session = request.session ?? answer.freshSession
            publication?.setUp(PublishedTrack(medium: request.medium, transport: answer.transport), in: session)
            if case .interleaved(let pair, _, _) = answer.transport { channels.take(pair, for: session) }
            var transport = answer.transport.transport
            transport.mode = .record
            var headers: Headers = [.transport: transport.headerValue]
            headers[.keyManagement] = answer.key.map { KeyManagementHeader.value($0, url: url.text) }
            finish(Response(.ok, headers: headers), in: session, at: now)
            return session
        case .failure(let refusal):
            finish(Response(refusal), in: request.session, at: now)
            return nil
        }
    }

    /// A RECORD was answered.
    ///
    /// - Parameter refusal: `nil` if the client's media is taken from now on.
    public mutating func recorded(_ id: RequestID, _ refusal: Refusal?, at now: MonotonicTime) {
        guard let pending, pending.id == id, case .record(let session) = pending.kind else { return }
        if refusal == nil { publication?.recorded() }
        finish(refusal.map { Response($0) } ?? Response(.ok), in: session, at: now)
    }
}

extension ValidatedRequest {
    /// The session description in the body of an ANNOUNCE.
    ///
    /// - Throws: 415 for a body of another type; 400 if it is invalid or describes no media.
    fileprivate func announcedDescription() throws(Refusal) -> SessionDescription {
        let type = headers[.contentType]?.pieces(separatedBy: ";").first
        guard type?.equalsIgnoringCase("application/sdp") ?? true else {
            throw Refusal(.unsupportedMediaType, reason: "Unsupported Media Type: the body must be application/sdp")
        }
        let description: SessionDescription
        do throws(SessionDescription.ParseError) {
            description = try SessionDescription(parsing: body)
        } catch {
            throw Refusal(.badRequest, reason: "Bad Request: \(error)")
        }
        guard !description.media.isEmpty else {
            throw Refusal(.badRequest, reason: "Bad Request: the session description has no media")
        }
        return description
    }
}

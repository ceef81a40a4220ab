import Delivery
import Media
import RTP
import RTSP
import Reactor
import Streams
import TLS
import WebRTC

/// How offers are answered.
extension WebRTCService {
    /// A client wants a session.
    func open(_ request: SessionRequest, _ answer: @escaping LoopInbox.Answer, at now: MonotonicTime) {
        guard !isStopping, context.pending.admit(request.client.address) else {
            inbox.sessionEnded()
            log.log(
                isStopping ? .activity : .refusedConnection, .notice, "WebRTC session refused",
                peer: request.client.endpoint.address, reason: "too many sessions wait for their client", at: now)
            return answer(.problem(503, "too many sessions wait for their client", retryAfterSeconds: 10))
        }
        switch request.kind {
        case .playback: openPlayback(request, answer, at: now)
        case .publishing: openPublishing(request, answer, at: now)
        }
    }

    /// Refuses an offer that was counted.
    private func refuse(
        _ request: SessionRequest, _ answer: LoopInbox.Answer, _ response: SignallingResponse, because reason: String,
        at now: MonotonicTime
    ) {
        context.pending.remove(request.client.address)
        inbox.sessionEnded()
        log.log(
            request.kind == .playback ? .refusedViewer : .refusedPublisher, .notice,
            request.kind == .playback ? "viewer refused" : "publisher refused", peer: request.client.endpoint.address,
            reason: reason, ["path": "\(request.path)", "transport": "WebRTC"], at: now)
        answer(response)
    }

    func refuse(_ offer: WaitingOffer, _ response: SignallingResponse) {
        context.pending.remove(offer.request.client.address)
        inbox.sessionEnded()
        offer.answer(response)
    }

    private func noPath(_ request: SessionRequest, _ answer: LoopInbox.Answer, at now: MonotonicTime) {
        let nearest = context.services.nearestPath(to: request.path).flatMap { nearest in
            request.grant.admits(request.kind == .playback ? .read : .publish, nearest) ? nearest : nil
        }
        let reason = "there is no path \(request.path)" + (nearest.map { "; did you mean \($0)?" } ?? "")
        refuse(request, answer, .problem(404, reason), because: reason, at: now)
    }

    // MARK: Playing

    private func openPlayback(
        _ request: SessionRequest, _ answer: @escaping LoopInbox.Answer, at now: MonotonicTime
    ) {
        guard let path = context.services.path(at: request.path) else { return noPath(request, answer, at: now) }
        let patience = max(path.stream.demand.startMilliseconds ?? 0, context.options.sourceMilliseconds)
        var offer = WaitingOffer(
            request: request, answer: answer, path: path, deadline: now.advanced(byMilliseconds: patience),
            use: StreamUse(of: path.stream))
        if !start(&offer, at: now) { waiting.append(offer) }
    }

    /// Answers offers whose streams have media now.
    func answerWaiting(at now: MonotonicTime) {
        guard !waiting.isEmpty else { return }
        var rest: [WaitingOffer] = []
        for waitingOffer in waiting {
            var offer = waitingOffer
            if !start(&offer, at: now) { rest.append(offer) }
        }
        waiting = rest
    }

    /// Answers a player's offer.
    ///
    /// - Returns: false if it waits for media.
    private func start(_ offer: inout WaitingOffer, at now: MonotonicTime) -> Bool {
        let stream = offer.path.stream
        if stream.hasEnded {
            refuse(
                offer.request, offer.answer, .problem(404, "\(stream.path) has ended"), because: "the stream has ended",
                at: now)
            return true
        }
        guard stream.announcement != nil else { return noInput(offer, at: now) }
        let source = DeliveryLoop.source(of: stream, for: .tracks, needsOpus: offer.request.offer.hasAudio)
        if source !== stream, offer.sourceUse == nil { offer.sourceUse = StreamUse(of: source) }
        guard let tracks = source.announcement?.tracks else { return noInput(offer, at: now) }
        answer(offer, from: source, tracks, at: now)
        return true
    }

    /// Whether an offer has waited long enough for media.
    private func noInput(_ offer: WaitingOffer, at now: MonotonicTime) -> Bool {
        let stream = offer.path.stream
        if stream.demand.startMilliseconds != nil, let failure = stream.demand.failure {
            refuse(
                offer.request, offer.answer, .problem(503, failure.reason, retryAfterSeconds: failure.retrySeconds),
                because: failure.reason, at: now)
            return true
        }
        guard now >= offer.deadline else { return false }
        let reason = "\(stream.path) has no input; see the server's log"
        refuse(
            offer.request, offer.answer, .problem(409, reason, retryAfterSeconds: 2), because: reason, at: now)
        return true
    }

    private func answer(_ offer: WaitingOffer, from source: Streams.Stream, _ tracks: [Track], at now: MonotonicTime) {
        let request = offer.request
        do throws(OfferError) {
            let facts = try facts(for: request.offer)
            let options = PlaybackAnswer.Options(
                playoutDelay: context.options.playoutDelay != nil, arrivalReports: offer.path.stream.measuresPaths,
                // A companion has the same frames, but a shorter history.
                reorderedTracks: offer.path.stream.reorderedTracks)
            let answer = try PlaybackAnswer(
                to: request.offer, tracks: tracks, options: options, sources: randomSources(4),
                parameters(facts, for: request, at: now))
            guard context.services.admitViewer() else {
                return refuse(
                    request, offer.answer, .problem(503, "the server has too many viewers", retryAfterSeconds: 5),
                    because: "the server has too many viewers", at: now)
            }
            for omission in answer.omissions {
                log.log(
                    .leftOut, .notice, "a track is left out for a browser", peer: request.client.endpoint.address,
                    reason: omission, ["path": "\(request.path)"], at: now)
            }
            let playback = Playback(
                context.services.nextViewerID(), of: offer.path.stream, from: source, answer.tracks, tracks,
                needsOpus: request.offer.hasAudio)
            begin(
                request, offer.answer, at: offer.path, .playback(playback), facts, text: answer.text, at: now)
        } catch {
            refuse(
                request, offer.answer, SignallingResponse(error), because: error.description, at: now)
        }
    }

    // MARK: Publishing

    private func openPublishing(
        _ request: SessionRequest, _ answer: @escaping LoopInbox.Answer, at now: MonotonicTime
    ) {
        let publisher = request.publisher
        guard let path = context.services.path(at: request.path), path.stream.path == request.path else {
            let messages = inbox.messages
            let isCreating = context.services.createPath(request.path, for: publisher) { refusal in
                messages.put(.pathCreated(request, answer, refusal: refusal))
            }
            if !isCreating { noPath(request, answer, at: now) }
            return
        }
        guard let point = path.publishing else {
            let reason = "\(request.path) has a source of its own"
            return refuse(request, answer, .problem(409, reason), because: reason, at: now)
        }
        if let refusal = point.refusal(of: publisher) {
            return refuse(request, answer, refusal.response, because: refusal.text, at: now)
        }
        do throws(OfferError) {
            let facts = try facts(for: request.offer)
            let negotiated = try PublishingAnswer(to: request.offer, parameters(facts, for: request, at: now))
            guard
                let publishing = Publishing(
                    negotiated.tracks, at: point, reportSource: randomSources(1)[0],
                    canonicalName: context.canonicalName)
            else { throw OfferError.nothingInCommon("none of the offered tracks can be received") }
            begin(request, answer, at: path, .publishing(publishing), facts, text: negotiated.text, at: now)
        } catch {
            refuse(request, answer, SignallingResponse(error), because: error.description, at: now)
        }
    }

    func pathWasCreated(
        for request: SessionRequest, _ answer: @escaping LoopInbox.Answer, refusal: String?, at now: MonotonicTime
    ) {
        guard let refusal else { return openPublishing(request, answer, at: now) }
        refuse(request, answer, .problem(403, refusal), because: refusal, at: now)
    }

    // MARK: Answers

    /// What an answer settles besides the media.
    private func facts(for offer: Offer) throws(OfferError) -> Session.AnswerFacts {
        // Every browser and library sends SHA-256.
        guard let fingerprint = offer.fingerprints.first(where: { $0.algorithm == .sha256 }) else {
            throw .missing("a=fingerprint with SHA-256")
        }
        let random = (0..<ICECredentials.randomByteCount).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        return Session.AnswerFacts(
            credentials: ICECredentials(random: random), role: offer.role, peerFingerprint: fingerprint.digest,
            entityTag: String(numbers.next() as UInt64, radix: 36))
    }

    private func parameters(
        _ facts: Session.AnswerFacts, for request: SessionRequest, at now: MonotonicTime
    ) throws(OfferError) -> AnswerParameters {
        // It was made before the offer was passed here.
        guard let identity = try? context.identity() else { throw .missing("a=fingerprint with SHA-256") }
        return AnswerParameters(
            credentials: facts.credentials, fingerprint: DTLSFingerprint(sha256: identity.fingerprint),
            candidates: candidates.candidates(for: request.client, port: port.number, at: now),
            sessionID: numbers.next(), canonicalName: context.canonicalName)
    }

    private func randomSources(_ count: Int) -> [SSRC] {
        var sources: Set<SSRC> = []
        while sources.count < count { sources.insert(SSRC(numbers.next())) }
        return Array(sources)
    }

    private func begin(
        _ request: SessionRequest, _ answer: LoopInbox.Answer, at path: OfferedPath, _ content: Session.Content,
        _ facts: Session.AnswerFacts, text: String, at now: MonotonicTime
    ) {
        let name = SessionName(onLoop: number, random: (numbers.next(), numbers.next()))
        let session = Session(
            name, token: place.nextToken(), request, at: path, content, facts, under: context.services.access.policy,
            at: now)
        table.insert(session)
        setDeadline(of: session)
        answer(
            SignallingEndpoint.created(
                answer: text, location: request.resource + name.description, entityTag: facts.entityTag,
                iceServers: context.options.iceServers))
    }

    /// A request for a session's resource.
    func receive(
        _ request: SignallingRequest, for name: SessionName, _ answer: LoopInbox.Answer, at now: MonotonicTime
    ) {
        guard let session = table[name] else {
            let end = ended.end(of: name)
            // OBS closes its connection before it ends the session.
            let isDone = request.method == "DELETE" && end?.departure == .left
            return answer(isDone ? SignallingSession.closed : .noSession(end))
        }
        switch session.signalling.received(request) {
        case .respond(let response): answer(response)
        case .close(let response):
            end(session, .left, because: "the client has ended it", at: now)
            answer(response)
        }
    }
}

extension SessionRequest {
    var publisher: PublishingPoint.Publisher {
        PublishingPoint.Publisher(user: grant.user, peer: client.address, userAgent: client.userAgent)
    }
}

extension PublishingPoint.Refusal {
    var text: String {
        switch self {
        case .publishedBy(let host): "published by \(host)"
        case .closed: "the path is no longer served"
        }
    }

    fileprivate var response: SignallingResponse {
        switch self {
        case .publishedBy: .problem(409, text, retryAfterSeconds: 5)
        case .closed: .problem(404, text)
        }
    }
}

extension Offer {
    /// Whether the client can receive audio. If not, none is encoded for it.
    fileprivate var hasAudio: Bool { media.contains { $0.kind == .audio && !$0.isDisabled } }
}

import Delivery
import Media
import RTP
import RTSP
import Reactor
import Streams

/// What clients begin to do once they are connected.
extension SRTService {
    /// Begins what a caller was permitted in its handshake.
    func begin(_ connection: Connection, at now: MonotonicTime) {
        // A publisher's media waits in libsrt until it is published.
        guard loop.watch(connection.socket, for: .error, by: self) else {
            return end(connection, .connectionClosed, because: "the connection has ended", at: now)
        }
        switch connection.handshake.access {
        case .granted(let grant): begin(connection, grant, at: now)
        case .undecided(let question): ask(question, for: connection)
        }
    }

    private func begin(_ connection: Connection, _ grant: Grant, at now: MonotonicTime) {
        switch connection.handshake.right {
        case .publish: publish(connection, grant, at: now)
        default: view(connection, grant, at: now)
        }
    }

    private func ask(_ question: ExternalAuthorisationRequest, for connection: Connection) {
        connection.stepNumber += 1
        connection.role = .undecided(question)
        let (notices, socket, step) = (context.notices, connection.socket, connection.stepNumber)
        context.services.decide(question, for: connection.name) { decision in
            notices.put(Notice(connection: socket, step: step, content: .decided(decision)))
        }
    }

    /// Something has been decided or has happened elsewhere.
    func take(_ notice: Notice.Content, for connection: Connection, at now: MonotonicTime) {
        switch (notice, connection.role) {
        case (.decided(let decision), .undecided(let question)): decided(decision, question, connection, at: now)
        case (.pathCreated(let refusal), .creating(let grant)):
            guard let refusal else { return publish(connection, grant, at: now) }
            refuse(connection, refusal, at: now)
        case (.publicationEnded(let end), .publishing):
            switch end {
            case .streamRemoved: self.end(connection, .left, because: "the path is no longer served", at: now)
            case .takenOver(let host):
                self.end(connection, .left, because: "\(host) has taken over the stream", at: now)
            }
        default: break
        }
    }

    private func decided(
        _ decision: AccessDecision, _ question: ExternalAuthorisationRequest, _ connection: Connection,
        at now: MonotonicTime
    ) {
        switch decision {
        case .admitted:
            guard let grant = connection.authenticator?.admit(question) else { return }
            begin(connection, grant, at: now)
        case .refused:
            let failure = AccessFailure.deniedExternally(countsAsGuess: !question.user.isEmpty)
            if failure.countsAsGuess, connection.authenticator?.countGuess(at: now) == true {
                log.log(
                    .lockOut, .warning, "address locked out: too many wrong passwords", peer: connection.peer, at: now)
            }
            refuse(connection, "\(failure)", at: now)
        case .unavailable, .tooManyWaiting: refuse(connection, "access.httpCallback does not decide now", at: now)
        }
    }

    // MARK: Publishing

    private func publish(_ connection: Connection, _ grant: Grant, at now: MonotonicTime) {
        let client = PublishingPoint.Publisher(user: grant.user, peer: connection.peer, userAgent: nil)
        guard let offered = context.services.path(at: connection.path), offered.stream.path == connection.path else {
            return create(connection, grant, for: client, at: now)
        }
        guard let point = offered.publishing else {
            return refuse(connection, "\(connection.path) has a source of its own", at: now)
        }
        connection.stepNumber += 1
        let (notices, socket, step) = (context.notices, connection.socket, connection.stepNumber)
        let publication = Publication(client, over: connection.transport, PublishedTexts(), at: point) { end in
            notices.put(Notice(connection: socket, step: step, content: .publicationEnded(end)))
        }
        do throws(PublishingPoint.Refusal) {
            try point.begin(publication)
        } catch {
            return refuse(connection, error.text(connection.path), at: now)
        }
        connection.role = .publishing(
            Publisher(
                connection.path, grant, at: point, publication, silenceSeconds: context.options.silenceSeconds, at: now)
        )
        log.log(.activity, .notice, "publisher joined", peer: connection.peer, metadata(of: connection), at: now)
        point.stream.events?.publish(connection.path) { .publisherJoined(publication.eventClient) }
        watchInput(of: connection, at: now)
    }

    private func create(
        _ connection: Connection, _ grant: Grant, for client: PublishingPoint.Publisher, at now: MonotonicTime
    ) {
        // A path that was just created is not created again if it is gone already.
        if case .creating = connection.role {
            return refuse(connection, "there is no path \(connection.path)", at: now)
        }
        connection.stepNumber += 1
        connection.role = .creating(grant)
        let (notices, socket, step) = (context.notices, connection.socket, connection.stepNumber)
        let isCreating = context.services.createPath(connection.path, for: client) { refusal in
            notices.put(Notice(connection: socket, step: step, content: .pathCreated(refusal: refusal)))
        }
        if !isCreating { refuse(connection, "there is no path \(connection.path)", at: now) }
    }

    /// Reads what the client sends from now on.
    private func watchInput(of connection: Connection, at now: MonotonicTime) {
        guard !loop.watch(connection.socket, for: [.readable, .error], by: self) else { return }
        end(connection, .connectionClosed, because: "the connection has ended", at: now)
    }

    // MARK: Viewing

    private func view(_ connection: Connection, _ grant: Grant, at now: MonotonicTime) {
        guard let offered = context.services.path(at: connection.path) else {
            return refuse(connection, "there is no path \(connection.path)", at: now)
        }
        let patience = max(offered.stream.demand.startMilliseconds ?? 0, context.options.sourceMilliseconds)
        connection.stepNumber += 1
        let waiting = Connection.Waiting(
            path: offered, grant: grant, deadline: now.advanced(byMilliseconds: patience),
            use: StreamUse(of: offered.stream))
        connection.role = .waiting(waiting)
        watchInput(of: connection, at: now)
        if case .waiting = connection.role { start(connection, waiting, at: now) }
    }

    /// Lets a viewer join if its stream has media, or gives it up.
    func start(_ connection: Connection, _ waiting: Connection.Waiting, at now: MonotonicTime) {
        let stream = waiting.path.stream
        if stream.hasEnded { return refuse(connection, "\(stream.path) has ended", at: now) }
        var waiting = waiting
        let source = stream.announcement == nil ? stream : stream.stream(for: MPEGTSPackager.self)
        if source !== stream, waiting.companionUse == nil {
            waiting.companionUse = StreamUse(of: source)
            connection.role = .waiting(waiting)
        }
        guard let feed = source.feed(MPEGTSPackager.self, options: TransportAudience.packaging, for: waker) else {
            return noInput(connection, waiting, at: now)
        }
        let existing = audiences[ObjectIdentifier(feed)]
        guard let audience = existing ?? TransportAudience(source, feed, fastStartBudget: context.fastStartBudget)
        else {
            feed.detach(waker)
            return refuse(connection, "a transport stream can carry none of the stream's tracks", at: now)
        }
        audiences[ObjectIdentifier(feed)] = audience
        let latency = connection.socket.statistics?.sendLatency ?? 0
        let sender = FeedSender(
            to: connection.socket, leading: audience.leading.id, latency: latency, at: now)
        let viewer = Viewer(context.services.nextViewerID(), waiting.path, waiting.grant, sender, from: source)
        connection.stepNumber += 1
        connection.role = .viewing(viewer, audience)
        audience.join(sender, of: stream, waiting.path.join, at: now)
        let client = connection.eventClient(waiting.grant)
        log.log(.activity, .info, "joined", peer: connection.peer, metadata(of: connection), at: now)
        stream.viewerCounts.joined(over: Self.transportName)
        stream.events?.publish(stream.path) { .viewerJoined(client) }
        serve(connection, at: now)
    }

    private func noInput(_ connection: Connection, _ waiting: Connection.Waiting, at now: MonotonicTime) {
        let stream = waiting.path.stream
        if stream.demand.startMilliseconds != nil, let failure = stream.demand.failure {
            return refuse(connection, failure.reason, at: now)
        }
        guard now >= waiting.deadline else { return }
        refuse(connection, "\(stream.path) has no input; see the server's log", at: now)
    }
}

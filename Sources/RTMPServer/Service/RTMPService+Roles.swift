import Delivery
import Media
import RTMP
import RTMPDelivery
import RTSP
import Reactor
import Streams

/// What clients publish and play.
extension RTMPService {
    // MARK: Publishers

    /// Begins a publication, or refuses it.
    func begin(
        _ publisher: PublishingPoint.Publisher, _ path: String, _ grant: Grant, at point: PublishingPoint,
        on connection: Connection, at now: MonotonicTime
    ) {
        connection.stepNumber += 1
        let (notices, token, step) = (inbox.notices, connection.token, connection.stepNumber)
        let publication = Publication(publisher, over: connection.transportName, PublishedTexts(), at: point) { end in
            notices.put(.init(connection: token, step: step, content: .publicationEnded(end)))
        }
        do throws(PublishingPoint.Refusal) {
            try point.begin(publication)
        } catch {
            switch error {
            case .publishedBy(let host):
                return refusePublisher(connection, path, "published by \(host)", at: now)
            case .closed: return refusePublisher(connection, path, "there is no path \(path)", at: now)
            }
        }
        let publisher = Publisher(
            path, grant, at: point, publication, silenceSeconds: context.options.silenceSeconds, at: now)
        connection.role = .publishing(publisher)
        connection.session.acceptPublishing()
        log.log(.activity, .notice, "publisher joined", peer: connection.peer, metadata(of: path, connection), at: now)
        point.stream.events?.publish(path) { .publisherJoined(publication.eventClient) }
    }

    /// Media of a publisher has come.
    func received(_ message: Message, from connection: Connection, at now: MonotonicTime) {
        guard let publisher = connection.publisher else { return }
        let end = publisher.reception.received(message, at: now)
        finish(publisher, of: connection, end, at: now)
    }

    /// Logs what is remarkable, and ends the publication for a reason.
    func finish(
        _ publisher: Publisher, of connection: Connection, _ end: MessageReception.End?, at now: MonotonicTime
    ) {
        for remark in publisher.reception.takeRemarks() { log(remark, publisher, connection, at: now) }
        guard let end else { return }
        self.end(connection, .publishFailed, .left, because: end.description, at: now)
    }

    private func log(
        _ remark: MessageReception.Remark, _ publisher: Publisher, _ connection: Connection, at now: MonotonicTime
    ) {
        log.log(
            .leftOut, .warning, "a part of what is published is not received", peer: connection.peer,
            reason: remark.description,
            ["path": "\(publisher.path)"], at: now)
    }

    /// Another thread has ended the publication.
    func publicationEnded(_ end: Publication.End, of connection: Connection, at now: MonotonicTime) {
        switch end {
        case .streamRemoved:
            self.end(connection, .publishFailed, .left, because: "the path is no longer served", at: now)
        case .takenOver(let host):
            self.end(connection, .publishBadName, .left, because: "\(host) has taken over the stream", at: now)
        }
    }

    // MARK: Players

    /// Starts players whose streams have media now.
    func startWaiting(at now: MonotonicTime) {
        guard !waiting.isEmpty else { return }
        // A client may have sent more commands. One that stops and plays another stream is added to the list again.
        let tokens = waiting
        waiting = []
        for token in tokens {
            guard let connection = connections[token], case .waiting = connection.role else { continue }
            if start(connection, at: now) { drain(connection, at: now) } else { waiting.append(token) }
        }
    }

    /// Lets a player join, or refuses it.
    ///
    /// - Returns: false if it waits for media.
    func start(_ connection: Connection, at now: MonotonicTime) -> Bool {
        guard case .waiting(var waiting) = connection.role else { return true }
        let stream = waiting.path.stream
        if stream.hasEnded {
            refusePlayer(connection, stream.path, .playStreamNotFound, "\(stream.path) has ended", at: now)
            return true
        }
        let source = stream.announcement == nil ? stream : stream.stream(for: FLVPackager.self)
        if source !== stream, waiting.companionUse == nil {
            waiting.companionUse = StreamUse(of: source)
            connection.role = .waiting(waiting)
        }
        let codecs = connection.session.parameters?.codecs ?? []
        guard let feed = source.feed(FLVPackager.self, options: codecs, for: place.waker),
            let tracks = source.announcement?.tracks
        else { return noInput(of: stream, waiting, connection, at: now) }
        let existing = audiences[ObjectIdentifier(feed)]
        guard let leading = FLVPackager.leading(of: tracks, to: codecs) else {
            if existing == nil { feed.detach(place.waker) }
            refusePlayer(
                connection, stream.path, .playFailed,
                "the client can play none of the stream's tracks (\(tracks.summary)); H.265 and Opus need Enhanced RTMP",
                at: now)
            return true
        }
        guard context.services.admitViewer() else {
            if existing == nil { feed.detach(place.waker) }
            refusePlayer(connection, stream.path, .playFailed, "the server has too many viewers", at: now)
            return true
        }
        connection.session.acceptPlaying()
        guard let framing = connection.session.framing else { return true }
        let audience = existing ?? PlayerAudience(source, feed, fastStartBudget: context.fastStartBudget)
        audiences[ObjectIdentifier(feed)] = audience
        let sender = MessageSender(
            source, to: codecs, leading: leading, over: connection.transport, framing, at: now)
        let player = Player(
            context.services.nextViewerID(), waiting.path, waiting.grant, codecs, by: sender, at: now)
        connection.stepNumber += 1
        connection.lastPing = now
        connection.role = .playing(player, audience)
        audience.join(player, of: connection, fast: connection.allowsFastStart(at: now), at: now)
        unserved.append(connection.token)
        log.log(.activity, .info, "joined", peer: connection.peer, metadata(of: stream.path, connection), at: now)
        player.reportJoined(connection.eventClient(player.grant))
        return true
    }

    /// Whether a player has waited long enough for media.
    private func noInput(
        of stream: Streams.Stream, _ waiting: Connection.Waiting, _ connection: Connection, at now: MonotonicTime
    ) -> Bool {
        if stream.demand.startMilliseconds != nil, let failure = stream.demand.failure {
            refusePlayer(connection, stream.path, .playFailed, failure.reason, at: now)
            return true
        }
        guard now >= waiting.deadline else { return false }
        refusePlayer(
            connection, stream.path, .playStreamNotFound, "\(stream.path) has no input; see the server's log", at: now)
        return true
    }

    func perform(_ pause: Command.Pause, of connection: Connection, at now: MonotonicTime) {
        guard case .playing(let player, let audience) = connection.role else { return }
        switch pause {
        case .pause: player.sender.pause(at: now)
        case .resume:
            player.sender.resume(at: audience.view.endIndex, at: now)
            audience.requestKeyframe(at: now)
        }
    }

    /// Sends a player what is new.
    func serve(_ connection: Connection, at now: MonotonicTime) {
        guard case .playing(let player, let audience) = connection.role, connection.closing == nil else { return }
        var wantsKeyframe = false
        let keepsUp = player.sender.serve(
            in: audience.view, by: context.options.policy, wantsKeyframe: &wantsKeyframe, at: now)
        connection.session.sentMedia(byteCount: player.sender.takeSent().bytes)
        if wantsKeyframe { audience.requestKeyframe(at: now) }
        guard !keepsUp else { return }
        let seconds = context.options.policy.maximumStall / 1_000_000_000
        close(connection, because: "the client took no data for \(seconds) s", .stalled, at: now)
        // What waits would not be taken either.
        release(connection, at: now)
    }

    // MARK: Ending

    /// Ends what a client publishes or plays, tells the client, and closes the connection.
    ///
    /// - Parameter code: for a publisher; a player is told `NetStream.Play.Stop` or, if it may no longer play, the reason.
    func end(
        _ connection: Connection, _ code: RTMP.StatusCode, _ departure: ViewerCounts.Departure, because reason: String,
        at now: MonotonicTime
    ) {
        let code = connection.player == nil ? code : departure == .permissionLost ? .playFailed : .playStop
        if case .waiting = connection.role {
            connection.session.reject(.playFailed, reason)
        } else {
            connection.session.end(code, reason)
        }
        endRole(of: connection, departure, because: reason, at: now)
        drain(connection, at: now)
        close(connection, because: reason, departure, at: now)
    }

    /// Ends what a client publishes or plays. The connection stays.
    func endRole(
        of connection: Connection, _ departure: ViewerCounts.Departure, because reason: String, at now: MonotonicTime
    ) {
        let role = connection.role
        connection.role = .none
        connection.question = nil
        connection.stepNumber += 1
        connection.idleSince = now
        switch role {
        case .none, .waiting: break
        case .publishing(let publisher): ended(publisher, of: connection, because: reason, at: now)
        case .playing(let player, let audience):
            audience.remove(connection)
            if audience.connections.isEmpty {
                audience.end(on: place)
                audiences[ObjectIdentifier(audience.feed)] = nil
            }
            context.services.viewerLeft()
            var metadata = metadata(of: player.path.stream.path, connection)
            if player.droppedUnits > 0 { metadata["dropped"] = "\(player.droppedUnits) units" }
            log.log(.activity, .info, "left", peer: connection.peer, reason: reason, metadata, at: now)
            player.reportLeft(connection.eventClient(player.grant), departure, because: reason)
        }
    }

    private func ended(
        _ publisher: Publisher, of connection: Connection, because reason: String, at now: MonotonicTime
    ) {
        publisher.point.ended(publisher.publication, because: reason)
        var metadata = metadata(of: publisher.path, connection)
        metadata["seconds"] = "\((now - publisher.startedAt) / 1_000_000_000)"
        log.log(.activity, .notice, "publisher left", peer: connection.peer, reason: reason, metadata, at: now)
        publisher.point.stream.events?.publish(publisher.path) {
            .publisherLeft(publisher.publication.eventClient, reason: reason)
        }
    }
}

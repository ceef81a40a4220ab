import Delivery
import Logging
import Media
import RTP
import RTSP
import Reactor
import SRTP
import Streams
import TLS
import WebRTC

/// How sessions play and publish, once their keys are known, and how they end.
extension WebRTCService {
    /// The handshake is complete.
    func established(_ session: Session, _ keys: DTLSKeys, at now: MonotonicTime) {
        guard let keys = TransportKeys(keys, as: session.role == .client ? .client : .server),
            let path = session.agent.selectedPath
        else {
            return end(session, .connectionClosed, because: "the handshake has made no keys", at: now)
        }
        do throws(SRTPFailure) {
            switch session.content {
            case .playback(let playback): try beginPlayback(playback, of: session, keys, over: path, at: now)
            case .publishing(let publishing): try beginPublishing(publishing, of: session, keys, at: now)
            }
        } catch {
            end(session, .connectionClosed, because: "\(error)", at: now)
        }
    }

    private func beginPlayback(
        _ playback: Playback, of session: Session, _ keys: TransportKeys, over path: NetworkPath, at now: MonotonicTime
    ) throws(SRTPFailure) {
        guard let way = way(over: path) else {
            return end(session, .connectionClosed, because: "the connection has closed", at: now)
        }
        let viewer = try playback.begin(
            keys, over: way, context.options, canonicalName: context.canonicalName, at: now)
        guard playback.layout.isCompatible(with: playback.source.announcement?.tracks ?? playback.layout),
            place.delivery.join(
                viewer, stream: playback.stream, options: session.path.join, moves: true, at: now)
        else { return end(session, .changed, because: "the stream's tracks have changed", at: now) }
        table.add(viewer, of: session)
        place.delivery.start(viewer, at: now)
        playback.started(over: session.transportName, at: now)
        log.log(
            .activity, .info, "joined", peer: session.peer, metadata(of: session), at: now)
        playback.stream.viewerCounts.joined(over: session.transportName)
        playback.stream.events?.publish(playback.stream.path) { .viewerJoined(session.eventClient) }
    }

    private func beginPublishing(
        _ publishing: Publishing, of session: Session, _ keys: TransportKeys, at now: MonotonicTime
    ) throws(SRTPFailure) {
        let (messages, name) = (inbox.messages, session.name)
        let publisher = PublishingPoint.Publisher(
            user: session.grant.user, peer: session.agent.selectedPath?.remote ?? session.client.address,
            userAgent: session.client.userAgent)
        let publication = Publication(
            publisher, over: session.transportName, PublishedTexts(), at: publishing.point,
            requestKeyframe: { messages.put(.keyframeWanted(name)) },
            ended: { messages.put(.publicationEnded(name, $0)) })
        do throws(PublishingPoint.Refusal) {
            try publishing.point.begin(publication)
        } catch {
            return end(session, .left, because: error.text, at: now)
        }
        do throws(SRTPFailure) {
            try publishing.begin(publication, keys, at: now) { [weak self, weak session] bytes in
                guard let self, let path = session?.agent.selectedPath else { return }
                bytes.withUnsafeBytes { self.send($0, over: path, at: self.place.now) }
            }
        } catch {
            publishing.point.ended(publication, because: "\(error)")
            throw error
        }
        table.addPublisher(session)
        log.log(.activity, .notice, "publisher joined", peer: session.peer, metadata(of: session), at: now)
        publishing.point.stream.events?.publish(session.path.stream.path) {
            .publisherJoined(publication.eventClient)
        }
    }

    // MARK: Reports

    /// An SRTCP packet has come.
    func receivedReport(_ datagram: RawSpan, of session: Session, at now: MonotonicTime) {
        switch session.content {
        case .publishing(let publishing): publishing.received(datagram, at: now)
        case .playback(let playback):
            guard let viewer = playback.viewer, let reports = playback.reports,
                let report = reports.opened(datagram),
                let compound = try? Compound(parsing: report, allowsReducedSize: true)
            else { return }
            for packet in compound.packets { handle(packet, from: viewer, of: playback, at: now) }
        }
    }

    private func handle(_ packet: ControlPacket, from viewer: Viewer, of playback: Playback, at now: MonotonicTime) {
        let delivery = place.delivery
        switch packet {
        case .receiverReport(let report):
            for block in report.blocks { delivery.received(block, of: viewer, at: now) }
        case .senderReport(let report):
            for block in report.blocks { delivery.received(block, of: viewer, at: now) }
        case .feedback(let feedback):
            switch feedback.request {
            case .pictureLossIndication, .fullIntraRequest: delivery.requestKeyframe(for: viewer, at: now)
            case .genericNACK(let media, let packets):
                delivery.receivedRequest(for: packets, of: media, by: viewer, at: now)
            case .transportWide(let media, let feedback):
                delivery.received(feedback, about: media, of: viewer, at: now)
            // The arrival times tell more.
            case .bitrateLimit: break
            }
        case .extendedReport(let report): answer(report, of: viewer, playback, at: now)
        case .sourceDescription, .goodbye: break
        }
    }

    /// Tells a browser how old its clock is, so that it knows the capture time of each frame (RFC 3611, section 4.5).
    private func answer(_ report: ExtendedReport, of viewer: Viewer, _ playback: Playback, at now: MonotonicTime) {
        guard let track = playback.firstTrack, let time = report.receiverReferenceTime else { return }
        let answer = ExtendedReport.answer(
            to: time, of: report.ssrc, from: track.rewriter.ssrc, delayNanoseconds: MonotonicTime.now() - now)
        place.delivery.send(Compound([.extendedReport(answer)]), on: track, of: viewer, at: now)
    }

    /// Does what is due for publishers.
    func servePublishers(at now: MonotonicTime) {
        for session in table.publishers {
            guard let publishing = session.publishing else { continue }
            if let end = publishing.serve(at: now) {
                self.end(session, end.departure, because: end.reason, at: now)
            } else {
                setDeadline(of: session)
            }
        }
    }

    func publicationEnded(_ end: Publication.End, of name: SessionName, at now: MonotonicTime) {
        guard let session = table[name] else { return }
        switch end {
        case .streamRemoved: self.end(session, .streamEnded, because: "the path is no longer served", at: now)
        case .takenOver(let host):
            self.end(session, .disconnected, because: "\(host) has taken over the stream", at: now)
        }
    }

    // MARK: Ending

    /// Delivery has given up a viewer; false if it is not of this service.
    func end(
        _ viewer: Viewer, _ departure: ViewerCounts.Departure, because reason: String, at now: MonotonicTime
    ) -> Bool {
        guard let session = table[viewer] else { return false }
        end(session, departure, because: reason, at: now)
        return true
    }

    func moved(_ viewer: Viewer, to stream: Streams.Stream, because reason: MoveReason, at now: MonotonicTime) -> Bool {
        guard let session = table[viewer] else { return false }
        var metadata = metadata(of: session)
        metadata["rendition"] = "\(stream.path)"
        log.log(
            .activity, .info, "viewer gets another rendition", peer: session.peer, reason: "\(reason)", metadata,
            at: now)
        return true
    }

    /// Ends a session: says goodbye to the client, and releases everything.
    func end(
        _ session: Session, _ departure: ViewerCounts.Departure, because reason: String, at now: MonotonicTime
    ) {
        guard !session.isEnded else { return }
        let isPending = if case .pending = session.phase { true } else { false }
        if session.isConnecting { context.pending.remove(session.client.address) }
        switch session.content {
        case .playback(let playback): end(playback, of: session, departure, because: reason, at: now)
        case .publishing(let publishing): end(publishing, of: session, because: reason, at: now)
        }
        session.dtls?.close()
        flush(session, at: now)
        session.phase = .ended
        for path in table.remove(session) { release(path, at: now) }
        place.setDeadline(of: session.token, to: nil)
        ended.note(session.name, departure, because: reason)
        inbox.sessionEnded()
        if isPending {
            log.log(
                .failedSession, .notice, "WebRTC session has not begun", peer: session.client.endpoint.address,
                reason: reason + candidatesHint(of: session, departure, at: now),
                ["path": "\(session.path.stream.path)"], at: now)
        }
    }

    /// Which addresses a client was told that has not reached the server.
    private func candidatesHint(
        of session: Session, _ departure: ViewerCounts.Departure, at now: MonotonicTime
    ) -> String {
        guard departure == .silent else { return "" }
        let addresses = candidates.candidates(for: session.client, port: port.number, at: now)
            .filter { $0.transport == .udp }.map(\.address)
        return "; it was told \(addresses.joined(separator: ", ")), port \(port.number) (webrtc.addresses adds others)"
    }

    private func end(
        _ playback: Playback, of session: Session, _ departure: ViewerCounts.Departure, because reason: String,
        at now: MonotonicTime
    ) {
        context.services.viewerLeft()
        guard let viewer = playback.viewer, let transport = playback.countedTransport else { return }
        var metadata = metadata(of: session)
        if let losses = viewer.network.lossText { metadata["lost"] = "\(losses)" }
        if viewer.droppedUnits > 0 { metadata["dropped"] = "\(viewer.droppedUnits) units" }
        place.delivery.end(viewer, at: now)
        log.log(.activity, .info, "left", peer: session.peer, reason: reason, metadata, at: now)
        playback.stream.viewerCounts.left(over: transport, departure)
        playback.stream.events?.publish(playback.stream.path) { .viewerLeft(session.eventClient, reason: reason) }
    }

    private func end(_ publishing: Publishing, of session: Session, because reason: String, at now: MonotonicTime) {
        guard let publication = publishing.publication else { return }
        publishing.sayGoodbye()
        publishing.point.ended(publication, because: reason)
        var metadata = metadata(of: session)
        metadata["seconds"] = "\((now - publishing.startedAt) / 1_000_000_000)"
        log.log(.activity, .notice, "publisher left", peer: session.peer, reason: reason, metadata, at: now)
        publishing.point.stream.events?.publish(session.path.stream.path) {
            .publisherLeft(publication.eventClient, reason: reason)
        }
    }

    /// What the log says of a session.
    func metadata(of session: Session) -> Logger.Metadata {
        [
            "path": "\(session.path.stream.path)", "transport": "\(session.transportName)",
            "client": "\(session.client.userAgent ?? "unnamed")",
        ]
    }
}

import Delivery
import Logging
import Media
import RTP
import RTSP
import Reactor
import SRTP
import Streams

/// Sessions are set up and end.
extension ServerLoop {
    func setUp(_ id: RequestID, _ request: SetUpRequest, on connection: Connection, at now: MonotonicTime) {
        do throws(Refusal) {
            let (entry, tracks, track) = try track(of: request)
            let session = try existingSession(of: request, for: entry, tracks, on: connection)
            for offer in request.offers where session == nil || session?.lowerTransport == offer.lowerTransport {
                if case .multicast = offer {
                    guard entry.options.multicast(of: request.form) != nil else { continue }
                    return setUpMulticast(id, request, entry, track, session, on: connection)
                }
                guard let answer = try take(offer, request, entry, tracks, track, session, on: connection, at: now)
                else {
                    continue
                }
                _ = connection.machine.setUp(id, .success(answer), at: now)
                return
            }
            throw Refusal(.unsupportedTransport, reason: "Unsupported Transport: none of those offered is free here")
        } catch {
            connection.machine.setUp(id, .failure(error), at: now)
        }
    }

    /// The session that a SETUP adds a track to; `nil` if it makes one.
    private func existingSession(
        of request: SetUpRequest, for entry: PathDirectory.Entry, _ tracks: [Track], on connection: Connection
    ) throws(Refusal) -> Session? {
        guard let id = request.session else { return nil }
        guard let session = connection.sessions[id] else { throw Refusal(.sessionNotFound) }
        guard session.entry.stream === entry.stream else { throw Refusal(.aggregateOperationNotAllowed) }
        guard session.holds(for: tracks) else { throw .tracksHaveChanged }
        return session
    }

    /// The stream, its tracks at one moment, and which of them a SETUP names; none where all are to travel as one.
    private func track(of request: SetUpRequest) throws(Refusal) -> (PathDirectory.Entry, [Track], Track?) {
        let isWhole = request.form == .transportStream
        guard
            let entry = isWhole
                ? directory.entry(atAnyCaseOf: request.path, for: request.grant) : directory.entry(at: request.path)
        else { throw Describing.notFound(request.path, among: directory, for: request.grant) }
        if entry.stream.hasEnded { throw Describing.ended(entry.stream.path) }
        guard let tracks = entry.stream.announcement?.tracks else { throw Refusal(.serviceUnavailable) }
        if isWhole { return (entry, tracks, nil) }
        guard let name = request.track else {
            guard tracks.count == 1, let only = tracks.first else { throw Refusal(.aggregateOperationNotAllowed) }
            return (entry, tracks, only)
        }
        guard let track = tracks.first(where: { "track\($0.id.index + 1)" == name }) else {
            throw Refusal(.notFound, reason: "Not Found: no such track")
        }
        return (entry, tracks, track)
    }

    /// Sets up one unicast transport; `nil` where this offer cannot be had.
    private func take(
        _ offer: TransportOffer, _ request: SetUpRequest, _ entry: PathDirectory.Entry, _ tracks: [Track],
        _ track: Track?, _ existing: Session?, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> SetUpAnswer? {
        var rewriter = HeaderRewriter.random(
            payloadTypeOf: track?.id, tellsCapture: entry.options.tellsCapture, using: &numbers)
        var protection: TrackProtection?
        if offer.profile == .secure {
            guard let made = self.protection(of: track, for: request, entry, on: connection, at: now) else {
                return nil
            }
            protection = made.protection
            rewriter = made.rewriter
        }
        let lane: ViewerTrack.Lane
        let transport: TransportAnswer
        var destinations: [SocketAddress] = []
        switch offer {
        case .multicast:
            return nil
        case .interleaved(let channels, let profile):
            lane = .interleaved(channel: channels.rtp, reportChannel: channels.rtcp)
            transport = .interleaved(channels, ssrc: rewriter.ssrc.rawValue, profile: profile)
        case .udp(let client, let profile):
            // IPv6 sockets serve both families; where the host has none, IPv4's cannot reach such a peer.
            guard connection.peer.family == .ipv4 || ports.pair.rtp.family == .ipv6 else { return nil }
            let host = try mediaHost(for: request, on: connection, at: now)
            destinations = [host.with(port: client.rtp), host.with(port: client.rtcp)]
            guard registry.take(destinations) else { return nil }
            lane = .udp(
                UDPRoute(
                    destination: destinations[0], reportDestination: destinations[1],
                    source: host.family == connection.local.family ? connection.local : nil, ports: ports))
            let server = RTSP.PortPair(rtp: ports.pair.port, rtcp: ports.pair.port + 1)
            transport = .udp(
                clientPorts: client, serverPorts: server, ssrc: rewriter.ssrc.rawValue, profile: profile)
        }
        let fresh = SessionID(random: numbers.next(), numbers.next())
        let session =
            existing
            ?? makeSession(fresh, entry, tracks, request.form, offer.lowerTransport, on: connection, at: now)
        guard let session else {
            registry.release(destinations)
            throw Refusal(.notEnoughBandwidth, reason: "Not Enough Bandwidth: too many viewers")
        }
        let viewerTrack = ViewerTrack(
            rewriter: rewriter, lane: lane, clockRate: track?.clockRate ?? .video, protection: protection)
        if let track {
            session.viewer.setUp(track.id, as: viewerTrack)
        } else {
            session.viewer.setUpAll(as: viewerTrack)
        }
        if let track, protection != nil {
            session.isProtected = true
            connection.announcedKeys.use(of: track.id, at: entry.stream.path)
        }
        session.tracks[request.track] = track?.id ?? TrackID(0)
        session.destinations += destinations
        for destination in destinations { viewersByReportSource[destination] = session }
        return SetUpAnswer(
            transport, freshSession: session.id, streamID: track == nil ? registry.nextStreamID() : nil)
    }

    /// Where a SETUP's media goes: to the client, and nowhere else.
    private func mediaHost(
        for request: SetUpRequest, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> SocketAddress {
        guard request.form == .transportStream else { return connection.peer }
        let address = SATIP.mediaAddress(forPeer: connection.peer.host).flatMap { SocketAddress($0, port: 0) }
        guard let address else {
            let host = (try? LocalAddresses.all())?.first { $0.family == .ipv4 }?.host ?? "127.0.0.1"
            logger.log(
                .info, "a SAT>IP client came over IPv6, where it hears no media",
                metadata: [
                    "peer": "\(connection.peer)", "paste": "rtsp://\(host):\(options.port)\(request.path)",
                ], within: &logs.unknownPaths, at: now)
            throw Refusal(.unsupportedTransport, reason: "Unsupported Transport: SAT>IP is IPv4 only")
        }
        return address
    }

    /// A session with its viewer; `nil` where there are too many.
    func makeSession(
        _ id: SessionID, _ entry: PathDirectory.Entry, _ tracks: [Track], _ form: StreamForm,
        _ lowerTransport: Session.LowerTransport, on connection: Connection, at now: MonotonicTime
    ) -> Session? {
        guard registry.admitViewer() else { return nil }
        lastToken += 1
        let viewer = Viewer(
            id: lastToken, canonicalName: canonicalName, trackCount: tracks.count, form: form,
            output: lowerTransport == .interleaved ? connection.output : nil, at: now)
        let session = Session(id: id, entry: entry, layout: tracks, viewer: viewer, lowerTransport: lowerTransport)
        connection.sessions[id] = session
        sessionsByViewer[viewer.id] = (connection, session)
        return session
    }

    /// Ends a session: goodbye, and everything that it held is free again.
    func end(_ session: Session, of connection: Connection, because reason: String, at now: MonotonicTime) {
        guard connection.sessions.removeValue(forKey: session.id) != nil else { return }
        if session.lowerTransport == .multicast { leaveMulticast(session) }
        delivery.end(session.viewer, at: now)
        waiting.removeAll { if case .play(_, let waiting) = $0.kind { waiting === session } else { false } }
        sessionsByViewer[session.viewer.id] = nil
        unheard.removeAll { $0 === session }
        for destination in session.destinations { viewersByReportSource[destination] = nil }
        registry.release(session.destinations)
        registry.viewerLeft()
        guard session.startedAt != nil else { return }
        var metadata = metadata(of: session, connection)
        metadata["reason"] = "\(reason)"
        if session.viewer.droppedUnits > 0 { metadata["dropped"] = "\(session.viewer.droppedUnits) units" }
        logger.log(
            .info, "left", metadata: metadata, within: &logs.activity,
            counting: connection.activityLog.takeLeftOutCount(), at: now)
    }

    /// Ends the session of a viewer whom delivery gave up; its connection goes with it.
    func end(_ viewer: Viewer, because reason: String, at now: MonotonicTime) {
        guard let (connection, session) = sessionsByViewer[viewer.id] else {
            groups.ended(viewer)
            return delivery.end(viewer, at: now)
        }
        end(session, of: connection, because: reason, at: now)
        remove(connection, at: now)
    }

    /// Says in the log what a session does, unless its connection, or all together, have said so too often.
    func logActivity(
        _ message: Logger.Message, _ session: Session, of connection: Connection, at now: MonotonicTime
    ) {
        guard let leftOut = connection.activityLog.admit(at: now) else { return }
        logger.log(
            .info, message, metadata: metadata(of: session, connection), within: &logs.activity, counting: leftOut,
            at: now)
    }

    func metadata(of session: Session, _ connection: Connection) -> Logger.Metadata {
        [
            "path": "\(session.entry.stream.path)", "peer": "\(connection.peer)",
            "transport": "\(session.transportName)", "client": "\(connection.userAgent ?? "unnamed")",
        ]
    }
}

extension TransportOffer {
    /// How packets travel if this offer is taken.
    var lowerTransport: Session.LowerTransport {
        switch self {
        case .udp: .udp
        case .interleaved: .interleaved
        case .multicast: .multicast
        }
    }
}

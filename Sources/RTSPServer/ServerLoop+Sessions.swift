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
    /// - Parameter deadline: until when it waits for a stream without input.
    func setUp(
        _ id: RequestID, _ request: SetUpRequest, on connection: Connection, deadline: MonotonicTime,
        at now: MonotonicTime
    ) {
        do throws(Refusal) {
            let entry = try entry(of: request)
            guard let tracks = entry.stream.announcement?.tracks else {
                return try waitForInput(of: entry, id, .setUp(request), on: connection, deadline: deadline, at: now)
            }
            let track = try track(of: request, among: tracks)
            let session = try existingSession(of: request, for: entry, tracks, on: connection)
            for offer in request.offers where session == nil || session?.lowerTransport == offer.lowerTransport {
                if case .multicast = offer {
                    guard entry.options.multicast(of: request.encapsulation) != nil else { continue }
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

    /// The stream that a SETUP names.
    private func entry(of request: SetUpRequest) throws(Refusal) -> PathDirectory.Entry {
        let entry =
            request.encapsulation == .transportStream
            ? directory.entry(atAnyCaseOf: request.path, for: request.grant) : directory.entry(at: request.path)
        guard let entry else { throw Describing.notFound(request.path, among: directory, for: request.grant) }
        if entry.stream.hasEnded { throw Describing.ended(entry.stream.path) }
        return entry
    }

    /// The track that a SETUP names; `nil` where all are to travel as one.
    private func track(of request: SetUpRequest, among tracks: [Track]) throws(Refusal) -> Track? {
        if request.encapsulation == .transportStream { return nil }
        guard let name = request.track else {
            guard tracks.count == 1, let only = tracks.first else { throw Refusal(.aggregateOperationNotAllowed) }
            return only
        }
        guard let track = tracks.first(where: { "track\($0.id.index + 1)" == name }) else {
            throw Refusal(.notFound, reason: "Not Found: no such track")
        }
        return track
    }

    /// Sets up one unicast transport; `nil` where this offer cannot be had.
    private func take(
        _ offer: TransportOffer, _ request: SetUpRequest, _ entry: PathDirectory.Entry, _ tracks: [Track],
        _ track: Track?, _ existing: Session?, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> SetUpAnswer? {
        // Keys come last: deriving them costs more than all else, and an offer whose ports are taken needs none.
        guard offer.profile == .plain || knowsKey(of: track, at: entry, on: connection),
            let destinations = try reserveDestinations(of: offer, for: request, on: connection, at: now)
        else { return nil }
        guard let numbering = numbering(of: track, offer.profile, request, entry, on: connection, at: now) else {
            registry.release(destinations)
            return nil
        }
        let fresh = SessionID(random: numbers.next(), numbers.next())
        let session =
            existing
            ?? makeSession(fresh, entry, tracks, request.encapsulation, offer.lowerTransport, on: connection, at: now)
        guard let session else {
            registry.release(destinations)
            throw Refusal(.notEnoughBandwidth, reason: "Not Enough Bandwidth: too many viewers")
        }
        let viewerTrack = ViewerTrack(
            rewriter: numbering.rewriter, transport: transport(of: offer, to: destinations, on: connection),
            clockRate: track?.clockRate ?? .video, protection: numbering.protection)
        if let track {
            session.viewer.setUp(track.id, as: viewerTrack)
        } else {
            session.viewer.setUpAll(as: viewerTrack)
        }
        if let track, numbering.protection != nil {
            session.isProtected = true
            connection.announcedKeys.use(of: track.id, at: entry.stream.path)
        }
        session.tracks[request.track] = track?.id ?? TrackID(0)
        session.destinations += destinations
        for destination in destinations { viewersByReportSource[destination] = session }
        return SetUpAnswer(
            answer(to: offer, ssrc: numbering.rewriter.ssrc.rawValue), freshSession: session.id,
            streamID: track == nil ? registry.nextStreamID() : nil)
    }

    /// The client's addresses that a unicast offer sends to, taken for it; empty over TCP. `nil` where they cannot be had.
    private func reserveDestinations(
        of offer: TransportOffer, for request: SetUpRequest, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> [SocketAddress]? {
        switch offer {
        case .multicast: return nil
        case .interleaved: return []
        case .udp(let client, _):
            // IPv6 sockets serve both families; where the host has none, IPv4's cannot reach such a peer.
            guard connection.peer.family == .ipv4 || ports.pair.rtp.family == .ipv6 else { return nil }
            let host = try mediaHost(for: request, on: connection, at: now)
            let destinations = [host.with(port: client.rtp), host.with(port: client.rtcp)]
            return registry.take(destinations) ? destinations : nil
        }
    }

    /// The numbers that a track begins with, and what protects it if the profile wants that; `nil` where it is impossible.
    private func numbering(
        of track: Track?, _ profile: MediaProfile, _ request: SetUpRequest, _ entry: PathDirectory.Entry,
        on connection: Connection, at now: MonotonicTime
    ) -> (rewriter: HeaderRewriter, protection: TrackProtection?)? {
        switch profile {
        case .plain:
            let rewriter = HeaderRewriter.random(
                payloadTypeOf: track?.id, sendsAbsoluteCaptureTime: entry.options.sendsAbsoluteCaptureTime,
                using: &numbers)
            return (rewriter, nil)
        case .secure:
            return protection(of: track, for: request, entry, on: connection, at: now)
                .map { ($0.rewriter, $0.protection) }
        }
    }

    /// How a track's packets leave by that offer.
    private func transport(
        of offer: TransportOffer, to destinations: [SocketAddress], on connection: Connection
    ) -> ViewerTrack.TrackTransport {
        if case .interleaved(let channels, _) = offer {
            return .interleaved(channel: channels.rtp, reportChannel: channels.rtcp)
        }
        let source = destinations[0].family == connection.local.family ? connection.local : nil
        return .udp(
            UDPRoute(
                destination: destinations[0], reportDestination: destinations[1], source: source, ports: ports))
    }

    /// What the client is told of an offer that was taken.
    private func answer(to offer: TransportOffer, ssrc: UInt32) -> TransportAnswer {
        switch offer {
        case .udp(let client, let profile):
            let server = RTSP.PortPair(rtp: ports.pair.port, rtcp: ports.pair.port + 1)
            return .udp(clientPorts: client, serverPorts: server, ssrc: ssrc, profile: profile)
        case .interleaved(let channels, let profile):
            return .interleaved(channels, ssrc: ssrc, profile: profile)
        case .multicast:
            preconditionFailure("a group is joined, not taken")
        }
    }

    /// Where a SETUP's media goes: to the client, and nowhere else.
    private func mediaHost(
        for request: SetUpRequest, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> SocketAddress {
        guard request.encapsulation == .transportStream else { return connection.peer }
        let address = SATIP.mediaAddress(forPeer: connection.peer.host).flatMap { SocketAddress($0, port: 0) }
        guard let address else {
            let host = ownIPv4Host.host(at: now) ?? "127.0.0.1"
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
        _ id: SessionID, _ entry: PathDirectory.Entry, _ tracks: [Track], _ encapsulation: RTPEncapsulation,
        _ lowerTransport: Session.LowerTransport, on connection: Connection, at now: MonotonicTime
    ) -> Session? {
        guard registry.admitViewer() else { return nil }
        lastToken += 1
        let viewer = Viewer(
            id: lastToken, canonicalName: canonicalName, trackCount: tracks.count, encapsulation: encapsulation,
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
        unlatched.remove(session)
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

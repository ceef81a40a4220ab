import Delivery
import Logging
import Media
import RTP
import RTSP
import Reactor
import SRTP
import Streams

/// Sets up and ends sessions.
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
                    return setUpMulticast(
                        id, request, of: entry, track: track, in: session, on: connection)
                }
                guard
                    let answer = try take(
                        offer, for: request, of: entry, tracks: tracks, track: track, in: session, on: connection,
                        at: now)
                else {
                    continue
                }
                _ = connection.machine.setUp(id, .success(answer), at: now)
                return
            }
            throw Refusal(
                .unsupportedTransport, reason: "Unsupported Transport: none of the offered transports is available")
        } catch {
            connection.machine.setUp(id, .failure(error), at: now)
        }
    }

    /// The session that a SETUP adds a track to; `nil` if it makes a new one.
    private func existingSession(
        of request: SetUpRequest, for entry: PathDirectory.Entry, _ tracks: [Track], on connection: Connection
    ) throws(Refusal) -> ViewerSession? {
        guard let id = request.session else { return nil }
        guard let session = connection.sessions[id] else { throw Refusal(.sessionNotFound) }
        guard session.entry.stream === entry.stream else { throw Refusal(.aggregateOperationNotAllowed) }
        guard session.isCompatible(with: tracks) else { throw .tracksHaveChanged }
        return session
    }

    /// The stream that a SETUP names.
    private func entry(of request: SetUpRequest) throws(Refusal) -> PathDirectory.Entry {
        let entry =
            request.encapsulation == .transportStream
            ? directory.entry(atAnyCaseOf: request.path, for: request.grant) : directory.entry(at: request.path)
        guard let entry else { throw DescribeResponse.notFound(request.path, among: directory, for: request.grant) }
        if entry.stream.hasEnded { throw DescribeResponse.ended(entry.stream.path) }
        return entry
    }

    /// The track that a SETUP names; `nil` if all tracks are sent as one.
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

    /// Sets up one unicast transport; `nil` if this offer cannot be met.
    private func take(
        _ offer: TransportOffer, for request: SetUpRequest, of entry: PathDirectory.Entry, tracks: [Track],
        track: Track?, in existing: ViewerSession?, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> SetUpAnswer? {
        // Keys come last, because deriving them is expensive, and an offer with ports in use needs none.
        guard offer.profile == .plain || hasAnnouncedKey(of: track, at: entry, on: connection),
            let destinations = try reserveDestinations(of: offer, for: request, on: connection, at: now)
        else { return nil }
        guard let numbering = numbering(of: track, offer.profile, request, entry, on: connection, at: now) else {
            registry.release(destinations)
            return nil
        }
        let newID = SessionID(random: numbers.next(), numbers.next())
        let session =
            existing
            ?? makeSession(
                newID, for: entry, tracks: tracks, encapsulation: request.encapsulation, over: offer.lowerTransport,
                on: connection, at: now)
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

    /// Reserves the client's addresses for a unicast offer; empty over TCP. `nil` if they are in use or unreachable.
    private func reserveDestinations(
        of offer: TransportOffer, for request: SetUpRequest, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> [SocketAddress]? {
        switch offer {
        case .multicast: return nil
        case .interleaved: return []
        case .udp(let client, _):
            // IPv6 sockets serve both families. If the host has no IPv6, IPv4 sockets cannot reach an IPv6 client.
            guard connection.peer.family == .ipv4 || ports.pair.rtp.family == .ipv6 else { return nil }
            let host = try mediaHost(for: request, on: connection, at: now)
            let destinations = [host.with(port: client.rtp), host.with(port: client.rtcp)]
            return registry.take(destinations) ? destinations : nil
        }
    }

    /// The RTP numbers that a track begins with, and its SRTP protection if the profile requires it; `nil` if that is impossible.
    private func numbering(
        of track: Track?, _ profile: MediaProfile, _ request: SetUpRequest, _ entry: PathDirectory.Entry,
        on connection: Connection, at now: MonotonicTime
    ) -> (rewriter: HeaderRewriter, protection: TrackProtection?)? {
        switch profile {
        case .plain:
            let rewriter = HeaderRewriter.random(
                payloadTypeOf: track?.id, extensions: entry.options.headerExtensions,
                using: &numbers)
            return (rewriter, nil)
        case .secure:
            return protection(of: track, for: request, entry, on: connection, at: now)
                .map { ($0.rewriter, $0.protection) }
        }
    }

    /// The transport of a track for this offer.
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

    /// The transport that the client is told for an accepted offer.
    private func answer(to offer: TransportOffer, ssrc: UInt32) -> TransportAnswer {
        switch offer {
        case .udp(let client, let profile):
            let server = RTSP.PortPair(rtp: ports.pair.port, rtcp: ports.pair.port + 1)
            return .udp(clientPorts: client, serverPorts: server, ssrc: ssrc, profile: profile)
        case .interleaved(let channels, let profile):
            return .interleaved(channels, ssrc: ssrc, profile: profile)
        case .multicast:
            preconditionFailure("multicast offers are handled by setUpMulticast")
        }
    }

    /// The destination of a SETUP's media: always the client.
    private func mediaHost(
        for request: SetUpRequest, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> SocketAddress {
        guard request.encapsulation == .transportStream else { return connection.peer }
        let address = SATIP.mediaAddress(forPeer: connection.peer.host).flatMap { SocketAddress($0, port: 0) }
        guard let address else {
            let host = ownIPv4Host.host(at: now) ?? "127.0.0.1"
            logger.log(
                .info, "SAT>IP client connected over IPv6, but SAT>IP media needs IPv4",
                metadata: [
                    "peer": "\(connection.peer)", "paste": "rtsp://\(host):\(options.port)\(request.path)",
                ], within: &logs.unknownPaths, at: now)
            throw Refusal(.unsupportedTransport, reason: "Unsupported Transport: SAT>IP is IPv4 only")
        }
        return address
    }

    /// Makes a session with its viewer; `nil` if there are too many viewers.
    func makeSession(
        _ id: SessionID, for entry: PathDirectory.Entry, tracks: [Track], encapsulation: RTPEncapsulation,
        over lowerTransport: ViewerSession.LowerTransport, on connection: Connection, at now: MonotonicTime
    ) -> ViewerSession? {
        guard registry.admitViewer() else { return nil }
        lastToken += 1
        let viewer = Viewer(
            id: lastToken, canonicalName: canonicalName, trackCount: tracks.count, encapsulation: encapsulation,
            output: lowerTransport == .interleaved ? connection.output : nil, at: now)
        let session = ViewerSession(
            id: id, entry: entry, layout: tracks, viewer: viewer, lowerTransport: lowerTransport)
        connection.sessions[id] = session
        sessionsByViewer[viewer.id] = (connection, session)
        return session
    }

    /// Ends a session: sends a BYE and releases everything that it holds.
    func end(_ session: ViewerSession, of connection: Connection, because reason: String, at now: MonotonicTime) {
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
            counting: connection.activityLog.takeSuppressedCount(), at: now)
    }

    /// Ends the session and the connection of a viewer that delivery has given up.
    func end(_ viewer: Viewer, because reason: String, at now: MonotonicTime) {
        guard let (connection, session) = sessionsByViewer[viewer.id] else {
            groups.ended(viewer)
            return delivery.end(viewer, at: now)
        }
        end(session, of: connection, because: reason, at: now)
        remove(connection, at: now)
    }

    /// Logs what a session does, within the limits of its connection and of the loop.
    func logActivity(
        _ message: Logger.Message, _ session: ViewerSession, of connection: Connection, at now: MonotonicTime
    ) {
        guard let suppressed = connection.activityLog.admit(at: now) else { return }
        logger.log(
            .info, message, metadata: metadata(of: session, connection), within: &logs.activity, counting: suppressed,
            at: now)
    }

    func metadata(of session: ViewerSession, _ connection: Connection) -> Logger.Metadata {
        [
            "path": "\(session.entry.stream.path)", "peer": "\(connection.peer)",
            "transport": "\(session.transportName)", "client": "\(connection.userAgent ?? "unnamed")",
        ]
    }
}

extension TransportOffer {
    /// How packets are sent if this offer is accepted.
    var lowerTransport: ViewerSession.LowerTransport {
        switch self {
        case .udp: .udp
        case .interleaved: .interleaved
        case .multicast: .multicast
        }
    }
}

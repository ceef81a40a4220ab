import Delivery
import Logging
import Media
import RTP
import RTSP
import Reactor
import Streams

/// Multicast sessions: members of a group that one loop, the home, sends to, whichever loop their connection is on.
extension ServerLoop {
    /// What a member must know of its group.
    struct Membership: Sendable {
        let group: String
        let ports: RTSP.PortPair
        let timeToLive: UInt8
        let ssrc: UInt32
    }

    private var home: ServerLoop { multicastHome ?? self }

    func setUpMulticast(
        _ id: RequestID, _ request: SetUpRequest, _ entry: PathDirectory.Entry, _ track: Track?, _ existing: Session?,
        on connection: Connection
    ) {
        let token = connection.token
        let home = home
        Task {
            let membership = await home.join(
                entry, request.encapsulation, track: track?.id ?? TrackID(0), isNewMember: existing == nil)
            joined(id, request, entry, track, membership, token)
        }
    }

    /// The home has answered: the session is made, if its connection is still there.
    private func joined(
        _ id: RequestID, _ request: SetUpRequest, _ entry: PathDirectory.Entry, _ track: Track?,
        _ membership: Result<Membership, Refusal>, _ token: Token
    ) {
        let now = loop.now
        guard let connection = connections[token] else {
            if case .success = membership, request.session == nil { leaveHome(entry, request.encapsulation) }
            return
        }
        let existing = request.session.flatMap { connection.sessions[$0] }
        // The request may have been refused meanwhile, or its session withdrawn: then nothing is made for it.
        guard connection.machine.awaits(id), request.session == nil || existing != nil else {
            if case .success = membership, request.session == nil { leaveHome(entry, request.encapsulation) }
            return
        }
        let answer = membership.flatMap { membership -> Result<SetUpAnswer, Refusal> in
            guard directory.options(of: entry.stream)?.multicast(of: request.encapsulation)?.group == membership.group
            else {
                if existing == nil { leaveHome(entry, request.encapsulation) }
                return .failure(Refusal(.unsupportedTransport))
            }
            let fresh = SessionID(random: numbers.next(), numbers.next())
            let tracks = entry.stream.announcement?.tracks ?? []
            let made =
                existing
                ?? makeSession(fresh, entry, tracks, request.encapsulation, .multicast, on: connection, at: now)
            guard let session = made else {
                leaveHome(entry, request.encapsulation)
                return .failure(Refusal(.notEnoughBandwidth))
            }
            session.tracks[request.track] = track?.id ?? TrackID(0)
            let transport = TransportAnswer.multicast(
                group: membership.group, ports: membership.ports, timeToLive: membership.timeToLive,
                ssrc: membership.ssrc)
            return .success(
                SetUpAnswer(
                    transport, freshSession: session.id, streamID: track == nil ? registry.nextStreamID() : nil))
        }
        connection.machine.setUp(id, answer, at: now)
        perform(connection, at: now)
        settle(connection, at: now)
    }

    func playMulticast(_ id: RequestID, _ request: PlayRequest, _ session: Session, on connection: Connection) {
        let token = connection.token
        let (home, key) = (home, session.groupKey)
        Task {
            let first = await home.play(key)
            guard let connection = connections[token], let session = connection.sessions[request.session] else {
                return
            }
            let now = loop.now
            let answer = PlayAnswer(rtpInfo: rtpInfo(request, session, first), range: request.liveRange(at: now))
            connection.machine.played(id, .success(answer), at: now)
            perform(connection, at: now)
            settle(connection, at: now)
            session.startedAt = now
            logActivity("joined", session, of: connection, at: now)
        }
    }

    func leaveMulticast(_ session: Session) {
        leaveHome(session.entry, session.viewer.encapsulation)
    }

    private func leaveHome(_ entry: PathDirectory.Entry, _ encapsulation: RTPEncapsulation) {
        let home = home
        Task { await home.leave(MulticastGroups.Key(stream: entry.stream, encapsulation: encapsulation)) }
    }

    // MARK: On the home loop

    /// Between two looks at groups that should be on air, in nanoseconds.
    private static let groupRound: Int64 = 250_000_000
    /// The same while no path is multicast: one may be put on offer at any time.
    private static let idleGroupRound: Int64 = 1_000_000_000

    /// Puts groups on air that are to be always, or that lost their feed while someone watches.
    ///
    /// - Returns: when to look again.
    func keepGroupsOnAir(at now: MonotonicTime) -> MonotonicTime {
        guard multicastHome == nil, !isStopping else { return .distantFuture }
        guard now >= nextGroupRound else { return nextGroupRound }
        nextGroupRound = now + Self.idleGroupRound
        for path in directory.paths {
            guard let entry = directory.entry(at: path) else { continue }
            for encapsulation in [RTPEncapsulation.tracks, .transportStream] {
                keepAlive(entry, encapsulation, at: now)
            }
        }
        return nextGroupRound
    }

    private func keepAlive(_ entry: PathDirectory.Entry, _ encapsulation: RTPEncapsulation, at now: MonotonicTime) {
        guard let options = entry.options.multicast(of: encapsulation) else { return }
        nextGroupRound = now + Self.groupRound
        let key = MulticastGroups.Key(stream: entry.stream, encapsulation: encapsulation)
        let isWanted = options.isAlwaysOn || groups.isOrphaned(key)
        guard isWanted, groups.group(key)?.isOnAir != true, entry.stream.announcement != nil,
            !entry.stream.hasEnded
        else { return }
        if case .success = join(entry, encapsulation, track: TrackID(0), isNewMember: false) { _ = play(key) }
    }

    private func join(
        _ entry: PathDirectory.Entry, _ encapsulation: RTPEncapsulation, track: TrackID, isNewMember: Bool
    ) -> Result<Membership, Refusal> {
        let now = loop.now
        let key = MulticastGroups.Key(stream: entry.stream, encapsulation: encapsulation)
        // As the path is configured now: the request may have come before that.
        guard let options = directory.options(of: entry.stream)?.multicast(of: encapsulation),
            let tracks = entry.stream.announcement?.tracks
        else { return .failure(Refusal(.unsupportedTransport)) }
        do {
            let group = try open(key, tracks, options, at: now)
            guard track.index < group.viewer.tracks.count, let viewerTrack = group.viewer.tracks[track.index] else {
                return .failure(Refusal(.notFound))
            }
            if isNewMember { groups.add(toMembersOf: key) }
            let port = options.port &+ UInt16(truncatingIfNeeded: 2 * track.index)
            return .success(
                Membership(
                    group: options.group, ports: RTSP.PortPair(rtp: port, rtcp: port &+ 1),
                    timeToLive: options.timeToLive,
                    ssrc: viewerTrack.rewriter.ssrc.rawValue))
        } catch {
            logger.log(
                .warning, "multicast refused", metadata: ["path": "\(entry.stream.path)", "reason": "\(error)"],
                within: &logs.refusedGroups, at: now)
            return .failure(Refusal(.unsupportedTransport))
        }
    }

    private func open(
        _ key: MulticastGroups.Key, _ tracks: [Track], _ options: MulticastOptions, at now: MonotonicTime
    ) throws(MulticastFailure) -> MulticastGroups.Group {
        lastToken += 1
        return try groups.open(
            key, tracks: tracks, options: options, numbers: &numbers, canonicalName: canonicalName, id: lastToken,
            usesGSO: usesGSO, at: now)
    }

    /// Starts the group if it is not on air yet; else sends reports and asks for a random access point for the one who joined.
    ///
    /// - Returns: nothing where it cannot be on air now: it will be as soon as its stream is.
    private func play(_ key: MulticastGroups.Key) -> [FirstPacket] {
        let now = loop.now
        guard let group = groups.group(key), let entry = directory.entry(at: key.stream.path),
            entry.stream === key.stream
        else {
            groups.missed(key)
            return []
        }
        if group.isOnAir {
            delivery.report(to: group.viewer, at: now)
            delivery.requestKeyframe(for: group.viewer, at: now)
            return delivery.firstPackets(of: group.viewer).map(\.withoutTimestamp)
        }
        var join = entry.options.join
        join.mode = .keyframe
        guard delivery.join(group.viewer, stream: entry.stream, options: join, at: now) else {
            groups.missed(key)
            return []
        }
        groups.wentOnAir(key)
        let first = delivery.firstPackets(of: group.viewer).map(\.withoutTimestamp)
        delivery.start(group.viewer, at: now)
        return first
    }

    private func leave(_ key: MulticastGroups.Key) {
        guard let viewer = groups.leave(key) else { return }
        delivery.end(viewer, at: loop.now)
    }
}

extension Session {
    /// The group that it is a member of, if it is of any.
    fileprivate var groupKey: MulticastGroups.Key {
        MulticastGroups.Key(stream: entry.stream, encapsulation: viewer.encapsulation)
    }
}

extension FirstPacket {
    /// Of a group one knows the next number, but not which unit a member hears first.
    fileprivate var withoutTimestamp: FirstPacket {
        var copy = self
        copy.timestamp = nil
        return copy
    }
}

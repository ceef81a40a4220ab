import Delivery
import Logging
import Media
import RTP
import RTSP
import Reactor
import Streams

/// Multicast sessions: members of a group that one loop sends to, whichever loop their connection is on.
extension ServerLoop {
    /// The answer to a member that joins.
    struct Membership: Sendable {
        let group: String
        let ports: RTSP.PortPair
        let timeToLive: UInt8
        let ssrc: UInt32
    }

    private var groupLoop: ServerLoop { multicastLoop ?? self }

    func setUpMulticast(
        _ id: RequestID, _ request: SetUpRequest, of entry: PathDirectory.Entry, track: Track?,
        in existing: ViewerSession?, on connection: Connection
    ) {
        let token = connection.token
        let groupLoop = groupLoop
        Task {
            let membership = await groupLoop.join(
                entry, request.encapsulation, track: track?.id ?? TrackID(0), isNewMember: existing == nil)
            joined(id, request, of: entry, track: track, with: membership, on: token)
        }
    }

    /// Makes the session after the group's loop has answered, if its connection still exists.
    private func joined(
        _ id: RequestID, _ request: SetUpRequest, of entry: PathDirectory.Entry, track: Track?,
        with membership: Result<Membership, Refusal>, on token: Token
    ) {
        let now = loop.now
        guard let connection = connections[token] else {
            if case .success = membership, request.session == nil { leaveGroup(entry, request.encapsulation) }
            return
        }
        let existing = request.session.flatMap { connection.sessions[$0] }
        // The request may have been refused or its session withdrawn meanwhile. Then no session is made.
        guard connection.machine.awaits(id), request.session == nil || existing != nil else {
            if case .success = membership, request.session == nil { leaveGroup(entry, request.encapsulation) }
            return
        }
        let answer = membership.flatMap { membership -> Result<SetUpAnswer, Refusal> in
            guard directory.options(of: entry.stream)?.multicast(of: request.encapsulation)?.group == membership.group
            else {
                if existing == nil { leaveGroup(entry, request.encapsulation) }
                return .failure(Refusal(.unsupportedTransport))
            }
            let newID = SessionID(random: numbers.next(), numbers.next())
            let tracks = entry.stream.announcement?.tracks ?? []
            let made =
                existing
                ?? makeSession(
                    newID, for: entry, tracks: tracks, encapsulation: request.encapsulation, over: .multicast,
                    on: connection, at: now)
            guard let session = made else {
                leaveGroup(entry, request.encapsulation)
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
        updateSocket(connection, at: now)
    }

    func playMulticast(_ id: RequestID, _ request: PlayRequest, _ session: ViewerSession, on connection: Connection) {
        let token = connection.token
        let (groupLoop, key) = (groupLoop, session.groupKey)
        Task {
            let first = await groupLoop.play(key)
            guard let connection = connections[token], let session = connection.sessions[request.session] else {
                return
            }
            let now = loop.now
            let answer = PlayAnswer(rtpInfo: rtpInfo(request, session, first), range: request.liveRange(at: now))
            connection.machine.played(id, .success(answer), at: now)
            perform(connection, at: now)
            updateSocket(connection, at: now)
            session.startedAt = now
            logActivity("joined", session, of: connection, at: now)
        }
    }

    func leaveMulticast(_ session: ViewerSession) {
        leaveGroup(session.entry, session.viewer.encapsulation)
    }

    private func leaveGroup(_ entry: PathDirectory.Entry, _ encapsulation: RTPEncapsulation) {
        let groupLoop = groupLoop
        Task { await groupLoop.leave(MulticastGroups.Key(stream: entry.stream, encapsulation: encapsulation)) }
    }

    // MARK: On the group's loop

    /// The time between two checks of groups, in nanoseconds.
    private static let groupRound: Int64 = 250_000_000
    /// The same while no path is multicast. A path may become multicast at any time.
    private static let idleGroupRound: Int64 = 1_000_000_000

    /// Starts groups that are always sent, and groups that lost their feed while they have members.
    ///
    /// - Returns: when to check again.
    func startRequiredGroups(at now: MonotonicTime) -> MonotonicTime {
        guard multicastLoop == nil, !isStopping else { return .distantFuture }
        guard now >= nextGroupRound else { return nextGroupRound }
        nextGroupRound = now + Self.idleGroupRound
        for path in directory.paths {
            guard let entry = directory.entry(at: path) else { continue }
            for encapsulation in [RTPEncapsulation.tracks, .transportStream] {
                startIfRequired(entry, encapsulation, at: now)
            }
        }
        return nextGroupRound
    }

    private func startIfRequired(_ entry: PathDirectory.Entry, _ encapsulation: RTPEncapsulation, at now: MonotonicTime)
    {
        guard let options = entry.options.multicast(of: encapsulation) else { return }
        nextGroupRound = now + Self.groupRound
        let key = MulticastGroups.Key(stream: entry.stream, encapsulation: encapsulation)
        let isWanted = options.isAlwaysOn || groups.isOrphaned(key)
        guard isWanted, groups.group(key)?.isSending != true, entry.stream.announcement != nil,
            !entry.stream.hasEnded
        else { return }
        if case .success = join(entry, encapsulation, track: TrackID(0), isNewMember: false) { _ = play(key) }
    }

    private func join(
        _ entry: PathDirectory.Entry, _ encapsulation: RTPEncapsulation, track: TrackID, isNewMember: Bool
    ) -> Result<Membership, Refusal> {
        let now = loop.now
        let key = MulticastGroups.Key(stream: entry.stream, encapsulation: encapsulation)
        // The current options of the path, which may have changed since the request.
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

    /// Starts the group. If it is being sent already, sends reports and requests a keyframe for the new member.
    ///
    /// - Returns: nothing if it cannot be sent now. It will be sent as soon as its stream is available.
    private func play(_ key: MulticastGroups.Key) -> [FirstPacket] {
        let now = loop.now
        guard let group = groups.group(key), let entry = directory.entry(at: key.stream.path),
            entry.stream === key.stream
        else {
            groups.missed(key)
            return []
        }
        if group.isSending {
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
        groups.startedSending(key)
        let first = delivery.firstPackets(of: group.viewer).map(\.withoutTimestamp)
        delivery.start(group.viewer, at: now)
        return first
    }

    private func leave(_ key: MulticastGroups.Key) {
        guard let viewer = groups.leave(key) else { return }
        delivery.end(viewer, at: loop.now)
    }
}

extension ViewerSession {
    /// The key of its multicast group.
    fileprivate var groupKey: MulticastGroups.Key {
        MulticastGroups.Key(stream: entry.stream, encapsulation: viewer.encapsulation)
    }
}

extension FirstPacket {
    /// Of a group the next number is known, but not which unit a member receives first.
    fileprivate var withoutTimestamp: FirstPacket {
        var copy = self
        copy.timestamp = nil
        return copy
    }
}

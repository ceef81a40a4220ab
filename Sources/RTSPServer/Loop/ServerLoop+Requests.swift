import Delivery
import Logging
import Media
import RTP
import RTSP
import Reactor
import Streams

/// A request that waits for a unit or a source.
struct WaitingRequest {
    enum Kind {
        case describe(DescribeRequest)
        case setUp(SetUpRequest)
        case play(PlayRequest, ViewerSession)
    }

    let connection: Connection
    let id: RequestID
    let kind: Kind
    /// When it must be answered in any case.
    let deadline: MonotonicTime
}

/// Performs the actions of the RTSP state machine.
extension ServerLoop {
    /// The time between two checks of waiting requests, in nanoseconds.
    private static let waitingInterval: Int64 = 10_000_000
    /// The time that a turn spends on waiting requests, in nanoseconds. Others may be pipelined behind each.
    private static let waitingBudget: Int64 = 1_000_000

    /// Performs all actions of a connection's state machine.
    func perform(_ connection: Connection, at now: MonotonicTime) {
        touched.add(connection)
        while let action = connection.machine.nextAction() { perform(action, on: connection, at: now) }
        if let deadline = connection.nextDeadline {
            deadlines.set(connection.token, deadline)
        } else {
            deadlines.remove(connection.token)
        }
    }

    private func perform(_ action: ServerAction, on connection: Connection, at now: MonotonicTime) {
        switch action {
        case .send(let bytes):
            connection.output.append(bytes)
        case .describe(let id, let request):
            connection.userAgent = request.userAgent ?? connection.userAgent
            connection.isMissingCredentials = false
            describe(id, request, on: connection, deadline: inputDeadline(from: now), at: now)
        case .setUp(let id, let request):
            connection.userAgent = request.userAgent ?? connection.userAgent
            connection.isMissingCredentials = false
            setUp(id, request, on: connection, deadline: inputDeadline(from: now), at: now)
        case .play(let id, let request):
            play(id, request, on: connection, at: now)
        case .pause(let id):
            pause(id, on: connection, at: now)
        case .tearDown(let id, let reason):
            guard let session = connection.sessions[id] else { return }
            end(session, of: connection, because: "\(reason)", at: now)
        case .receivedInterleaved(let id, let channel, let bytes):
            guard let session = connection.sessions[id] else { return }
            received(interleaved: bytes, on: channel, for: session, on: connection, at: now)
        case .decide(let id, let request):
            decide(id, request, on: connection, at: now)
        case .accessRefused(let failure):
            logRefusal(failure, of: connection, at: now)
        case .addressLockedOut(let seconds):
            logger.log(
                .warning, "address locked out: too many wrong passwords",
                metadata: ["peer": "\(connection.peer.host)", "seconds": "\(seconds)"], within: &logs.lockOuts, at: now)
        case .publishingRefused:
            logger.log(
                .notice, "a client tried to publish a stream; this server only sends streams",
                metadata: ["peer": "\(connection.peer)"], within: &logs.unsupportedClients, at: now)
        case .close(let reason):
            connection.closing = reason
            logClose(of: connection, because: reason, at: now)
        }
    }

    // MARK: DESCRIBE

    private func describe(
        _ id: RequestID, _ request: DescribeRequest, on connection: Connection, deadline: MonotonicTime,
        at now: MonotonicTime
    ) {
        guard let entry = directory.entry(at: request.path) else {
            let refusal = DescribeResponse.notFound(request.path, among: directory, for: request.grant)
            logger.log(
                .info, "no such path",
                metadata: [
                    "path": "\(request.path)", "nearest": "\(directory.nearest(to: request.path) ?? "none")",
                    "peer": "\(connection.peer)",
                ], within: &logs.unknownPaths, at: now)
            return connection.machine.described(id, .failure(refusal), at: now)
        }
        if entry.stream.hasEnded {
            return connection.machine.described(id, .failure(DescribeResponse.ended(entry.stream.path)), at: now)
        }
        if let announcement = entry.stream.announcement {
            let keys = announceKeys(for: announcement.tracks, of: entry, to: connection)
            let description = DescribeResponse.description(of: entry, announcement, local: connection.local, keys: keys)
            return connection.machine.described(id, .success(description), at: now)
        }
        do {
            try waitForInput(of: entry, id, .describe(request), on: connection, deadline: deadline, at: now)
        } catch {
            connection.machine.described(id, .failure(error), at: now)
        }
    }

    // MARK: Streams without input

    /// The deadline of a request that has come now and may wait for a source that has just started.
    private func inputDeadline(from now: MonotonicTime) -> MonotonicTime {
        now.advanced(byMilliseconds: options.describeMilliseconds)
    }

    /// Makes a request wait for the stream's first unit, which tells its tracks.
    ///
    /// - Throws: 503 once the deadline has passed.
    func waitForInput(
        of entry: PathDirectory.Entry, _ id: RequestID, _ kind: WaitingRequest.Kind, on connection: Connection,
        deadline: MonotonicTime, at now: MonotonicTime
    ) throws(Refusal) {
        guard now < deadline else {
            throw Refusal(
                .serviceUnavailable,
                reason: "Service Unavailable: \(entry.stream.path) has no input; see the server's log",
                headers: [.retryAfter: "2"])
        }
        waiting.append(WaitingRequest(connection: connection, id: id, kind: kind, deadline: deadline))
    }

    // MARK: PLAY, PAUSE

    private func play(_ id: RequestID, _ request: PlayRequest, on connection: Connection, at now: MonotonicTime) {
        guard let session = connection.sessions[request.session] else {
            return connection.machine.played(id, .failure(Refusal(.sessionNotFound)), at: now)
        }
        if session.lowerTransport == .multicast {
            return playMulticast(id, request, session, on: connection)
        }
        guard session.isCompatible(with: session.entry.stream.announcement?.tracks) else {
            return connection.machine.played(id, .failure(.tracksHaveChanged), at: now)
        }
        let join = joinOptions(of: session, for: request, on: connection, at: now)
        guard delivery.join(session.viewer, stream: session.entry.stream, options: join, at: now) else {
            let refusal = Refusal(.serviceUnavailable, reason: "Service Unavailable: the stream has no input")
            return connection.machine.played(id, .failure(refusal), at: now)
        }
        let deadline = now.advanced(byMilliseconds: options.playReplyMilliseconds)
        answer(id, request, session, on: connection, deadline: deadline, at: now)
    }

    /// How this viewer joins: the path's options, the client's request, and the needs of its player.
    private func joinOptions(
        of session: ViewerSession, for request: PlayRequest, on connection: Connection, at now: MonotonicTime
    ) -> JoinOptions {
        var join = session.entry.options.join
        let dialect = ClientDialect(userAgent: connection.userAgent)
        switch request.join {
        case .keyframe: join.mode = .keyframe
        case .fast: join.mode = .fastStart
        case nil: if join.mode == .auto, dialect.isRecorder { join.mode = .keyframe }
        }
        if !connection.allowsFastStart(at: now) { join.mode = .keyframe }
        switch session.viewer.encapsulation {
        case .tracks:
            join.fastStartWindow = max(join.fastStartWindow, dialect.minimumFastStartMilliseconds * 1_000_000)
        case .transportStream:
            if join.mode == .auto, session.entry.stream.hasEncoder { join.mode = .keyframe }
            join.fastStartWindow = max(join.fastStartWindow, SATIP.minimumFastStartMilliseconds * 1_000_000)
        }
        return join
    }

    /// Answers a PLAY if all first packets are known, or the deadline has passed.
    private func answer(
        _ id: RequestID, _ request: PlayRequest, _ session: ViewerSession, on connection: Connection,
        deadline: MonotonicTime, at now: MonotonicTime
    ) {
        let first = delivery.firstPackets(of: session.viewer)
        guard first.allSatisfy({ $0.timestamp != nil }) || now >= deadline else {
            waiting.append(
                WaitingRequest(connection: connection, id: id, kind: .play(request, session), deadline: deadline))
            return
        }
        let answer = PlayAnswer(rtpInfo: rtpInfo(request, session, first), range: request.liveRange(at: now))
        connection.machine.played(id, .success(answer), at: now)
        // The reply is the first action. The caller performs the actions of requests pipelined behind it: performed here, PLAY
        // after PLAY would recurse as deep as the client likes.
        guard case .send(let reply)? = connection.machine.nextAction() else { return }
        connection.output.append(reply)
        session.startedAt = now
        expectLatching(for: session, at: now)
        // On UDP the reply is sent before the packets. On TCP reply and reports are sent in one write before them.
        if session.lowerTransport == .udp { connection.output.flush(at: now) }
        delivery.start(session.viewer, at: now)
        connection.output.flush(at: now)
        logActivity("joined", session, of: connection, at: now)
    }

    func rtpInfo(_ request: PlayRequest, _ session: ViewerSession, _ first: [FirstPacket]) -> RTPInfo {
        RTPInfo(
            request.tracks.compactMap { track in
                guard let id = session.tracks[track.control], let packet = first.first(where: { $0.track == id }) else {
                    return nil
                }
                return RTPInfo.Entry(
                    url: track.url, sequenceNumber: packet.sequenceNumber.rawValue, timestamp: packet.timestamp)
            })
    }

    private func pause(_ id: SessionID, on connection: Connection, at now: MonotonicTime) {
        guard let session = connection.sessions[id], session.lowerTransport != .multicast else { return }
        delivery.pause(session.viewer)
        logActivity("paused", session, of: connection, at: now)
    }

    // MARK: Waiting requests

    /// Answers waiting requests, as many as the turn has time for; returns when to check again.
    func answerWaiting(at now: MonotonicTime) -> MonotonicTime {
        guard !waiting.isEmpty else { return .distantFuture }
        let end = MonotonicTime.now() + Self.waitingBudget
        var requests = waiting[...]
        waiting = []
        var hasAnswered = false
        repeat {
            guard let request = requests.popFirst() else { break }
            if answerIfPossible(request, at: now) { hasAnswered = true }
        } while MonotonicTime.now() < end
        // Requests that were not checked come first next time.
        waiting.insert(contentsOf: requests, at: 0)
        guard !waiting.isEmpty else { return .distantFuture }
        // If many requests only wait, they are checked at intervals, to save processor time.
        return hasAnswered && !requests.isEmpty ? now : now + Self.waitingInterval
    }

    /// Answers a waiting request if it can be answered now; false if it still waits or is obsolete.
    private func answerIfPossible(_ request: WaitingRequest, at now: MonotonicTime) -> Bool {
        let connection = request.connection
        guard connections[connection.token] != nil, connection.machine.awaits(request.id) else { return false }
        let waitingCount = waiting.count
        switch request.kind {
        case .describe(let describeRequest):
            describe(request.id, describeRequest, on: connection, deadline: request.deadline, at: now)
        case .setUp(let setUpRequest):
            setUp(request.id, setUpRequest, on: connection, deadline: request.deadline, at: now)
        case .play(let playRequest, let session):
            guard connection.sessions[session.id] === session else { return false }
            answer(request.id, playRequest, session, on: connection, deadline: request.deadline, at: now)
        }
        guard waiting.count == waitingCount else { return false }
        perform(connection, at: now)
        return true
    }
}

extension PlayRequest {
    /// The range of a live stream in the requested unit.
    func liveRange(at now: MonotonicTime) -> RangeHeader {
        guard case .clock = range else { return .live }
        return .clock(from: WallClock.unixNanoseconds(), to: nil)
    }
}

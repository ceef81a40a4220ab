import Delivery
import Media
import RTP
import RTSP
import Reactor
import Streams

/// Answers PLAY, and starts and pauses the viewers. Confined to the loop.
final class PlayHandler {
    private let place: LoopPlace
    private let sessions: Sessions
    private let network: NetworkOptions
    private let log: ServiceLog

    init(_ place: LoopPlace, _ sessions: Sessions, _ network: NetworkOptions, _ log: ServiceLog) {
        self.place = place
        self.sessions = sessions
        self.network = network
        self.log = log
    }

    /// Lets the viewer join its stream, so that its first packets are known.
    ///
    /// - Returns: a refusal; `nil` if ``answer(_:_:mustAnswer:at:)`` comes next.
    func join(
        _ session: ViewerSession, for request: PlayRequest, on connection: Connection, at now: MonotonicTime
    ) -> Refusal? {
        guard session.isCompatible(with: session.entry.stream.announcement?.tracks) else { return .tracksHaveChanged }
        let options = joinOptions(of: session, for: request, on: connection, at: now)
        let joins = place.delivery.join(
            session.viewer, stream: session.entry.stream, options: options,
            moves: moves(for: request, on: connection), at: now)
        guard joins else {
            return Refusal(.serviceUnavailable, reason: "Service Unavailable: the stream has no input")
        }
        return nil
    }

    /// Whether the viewer moves between renditions: not if it records, and not if its player may not survive it.
    private func moves(for request: PlayRequest, on connection: Connection) -> Bool {
        let dialect = ClientDialect(userAgent: connection.client.userAgent)
        return request.join != .keyframe && (dialect.survivesNewSizes || network.movesAllClients && !dialect.isRecorder)
    }

    /// How this viewer joins: the path's options, the client's request, and the needs of its player.
    private func joinOptions(
        of session: ViewerSession, for request: PlayRequest, on connection: Connection, at now: MonotonicTime
    ) -> JoinOptions {
        var join = session.entry.options.join
        let dialect = ClientDialect(userAgent: connection.client.userAgent)
        switch request.join {
        case .keyframe: join.mode = .keyframe
        case .fast: join.mode = .fastStart
        case nil: if join.mode == .auto, dialect.isRecorder { join.mode = .keyframe }
        }
        if !connection.client.allowsFastStart(at: now) { join.mode = .keyframe }
        switch session.viewer.encapsulation {
        case .tracks:
            join.fastStartWindow = max(join.fastStartWindow, dialect.minimumFastStartMilliseconds * 1_000_000)
        case .transportStream:
            if join.mode == .auto, session.entry.stream.hasEncoder { join.mode = .keyframe }
            join.fastStartWindow = max(join.fastStartWindow, SATIP.minimumFastStartMilliseconds * 1_000_000)
        }
        return join
    }

    /// The answer to a PLAY whose viewer has joined.
    ///
    /// - Parameter mustAnswer: whether the answer must not wait any longer for the first packets.
    /// - Returns: `nil` if the first packets are not known yet.
    func answer(
        _ request: PlayRequest, _ session: ViewerSession, mustAnswer: Bool, at now: MonotonicTime
    ) -> PlayAnswer? {
        let first = place.delivery.firstPackets(of: session.viewer)
        guard mustAnswer || first.allSatisfy({ $0.timestamp != nil }) else { return nil }
        return answer(request, session, first)
    }

    /// The answer to a PLAY, if the first packets are these.
    func answer(_ request: PlayRequest, _ session: ViewerSession, _ first: [FirstPacket]) -> PlayAnswer {
        let entries = request.tracks.compactMap { track -> RTPInfo.Entry? in
            guard let id = session.tracks[track.control], let packet = first.first(where: { $0.track == id }) else {
                return nil
            }
            return RTPInfo.Entry(
                url: track.url, sequenceNumber: packet.sequenceNumber.rawValue, timestamp: packet.timestamp)
        }
        return PlayAnswer(rtpInfo: RTPInfo(entries), range: request.liveRange)
    }

    /// Starts sending. The reply to PLAY waits in the connection's output.
    func start(_ session: ViewerSession, of connection: Connection, at now: MonotonicTime) {
        let isFirst = session.startedAt == nil
        session.startedAt = now
        if session.lowerTransport != .multicast {
            sessions.addresses.started(session, at: now)
            // On UDP the reply is sent before the packets. On TCP reply and reports are sent in one write before them.
            if session.lowerTransport == .udp { connection.output.flush(at: now) }
            place.delivery.start(session.viewer, at: now)
            connection.output.flush(at: now)
        }
        log.activity("joined", session, of: connection, at: now)
        if isFirst {
            let stream = session.entry.stream
            stream.viewerCounts.joined(over: session.transportName)
            stream.events?.publish(stream.path) { .viewerJoined(session.eventClient(on: connection)) }
        }
    }

    /// Stops sending. The session stays.
    func pause(_ session: ViewerSession, of connection: Connection, at now: MonotonicTime) {
        guard session.lowerTransport != .multicast else { return }
        place.delivery.pause(session.viewer)
        log.activity("paused", session, of: connection, at: now)
    }
}

extension PlayRequest {
    /// The range of a live stream in the requested unit.
    fileprivate var liveRange: RangeHeader {
        guard case .clock = range else { return .live }
        return .clock(from: WallClock.unixNanoseconds(), to: nil)
    }
}

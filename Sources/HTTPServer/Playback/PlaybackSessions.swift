import HTTP
import Media
import RTSP
import Reactor
import Streams
import Synchronization

/// The players of HLS, by the labels in their URLs. Thread-safe.
///
/// A player gets its label with the list of qualities, for which its client has authenticated. The URLs in playlists are relative, so
/// all of its further requests have the label. The label admits them, even if the player cannot send a password or its token has ended.
/// A label admits requests of one address to one path, until the access policy no longer permits it.
final class PlaybackSessions: Sendable {
    private let sessions = Mutex<[String: PlaybackSession]>([:])
    private let sessionsPerAddress: Int
    private let silence: Int64

    /// How long a player that has paused is remembered.
    private static let memoryNanoseconds: Int64 = 600_000_000_000
    /// Sessions that are remembered. Each needs about 500 bytes.
    private static let maximumCount = 8_192

    init(_ options: PlaybackOptions) {
        sessionsPerAddress = options.sessionsPerAddress
        silence = options.silenceMilliseconds * 1_000_000
    }

    // MARK: Requests

    /// A session for the client of a request, which gets the list of qualities.
    ///
    /// - Returns: its label, which cannot be guessed.
    func begin(for request: Request, of stream: Streams.Stream, _ context: ServerContext) -> String {
        let label = Self.makeLabel()
        let session = PlaybackSession(request, of: stream, access: context.services.access, at: .now())
        sessions.withLock { Self.insert(session, label, into: &$0, atMost: sessionsPerAddress) }
        return label
    }

    /// What the session of a label admits.
    ///
    /// - Returns: `nil` if there is no such session of this client. Then the request is authorised like any other.
    func grant(
        of label: String, watching path: String, by client: ClientIdentity, _ context: ServerContext
    ) throws(Problem) -> Grant? {
        let found = sessions.withLock { sessions -> PlaybackSession? in
            guard let session = sessions[label], session.isOf(client, path) else { return nil }
            sessions[label]?.lastUse = .now()
            return session
        }
        guard let found else { return nil }
        if case .disconnected = found.state { throw LiveEnd.disconnected.problem }
        let access = context.services.access
        guard access.version != found.access.version else { return found.grant }
        guard isPermitted(found, context) else { return nil }
        sessions.withLock { $0[label]?.access = access }
        return found.grant
    }

    /// Counts the player of a request as a viewer, unless it is counted.
    func play(_ label: String, _ request: Request, of stream: Streams.Stream, _ context: ServerContext) throws(Problem)
    {
        let now = MonotonicTime.now()
        let isCounted = sessions.withLock { sessions in
            if sessions[label]?.isOf(request.identity, request.streamPath ?? "") != true {
                let fresh = PlaybackSession(request, of: stream, access: context.services.access, at: now)
                Self.insert(fresh, label, into: &sessions, atMost: sessionsPerAddress)
            }
            return sessions[label]?.viewing != nil
        }
        if isCounted { return }
        let address = request.identity.endpoint
        let count = sessions.withLock { sessions in
            sessions.values.count { $0.viewing != nil && $0.identity.endpoint == address }
        }
        guard address.isLoopback || count < sessionsPerAddress else {
            throw Problem(.serviceUnavailable, "there are too many viewers with this address", retryAfter: 5)
        }
        guard let counted = CountedViewer(by: context.services) else {
            throw Problem(.serviceUnavailable, "there are too many viewers", retryAfter: 5)
        }
        let viewing = PlaybackSession.Viewing(
            number: context.services.nextViewerID().number, startedAt: now, count: counted)
        let joined = sessions.withLock { sessions -> PlaybackSession? in
            // Another request of the player may have been faster.
            guard sessions[label]?.viewing == nil else { return nil }
            sessions[label]?.state = .playing(viewing)
            return sessions[label]
        }
        if let joined { report(joined, context) }
    }

    private static func insert(
        _ session: PlaybackSession, _ label: String, into sessions: inout [String: PlaybackSession], atMost count: Int
    ) {
        sessions[label] = session
        let idle = sessions.filter { $0.value.viewing == nil }
        let own = idle.filter { $0.value.identity.endpoint == session.identity.endpoint }
        // A client on this host may be a proxy with many clients.
        if own.count > count, !session.identity.endpoint.isLoopback { sessions[oldest(of: own)] = nil }
        if sessions.count > maximumCount { sessions[oldest(of: idle)] = nil }
    }

    private static func oldest(of sessions: [String: PlaybackSession]) -> String {
        sessions.min { $0.value.lastUse < $1.value.lastUse }?.key ?? ""
    }

    private static func makeLabel() -> String {
        var numbers = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(numbers.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Whether the text has the form of a label.
    static func isLabel(_ text: Substring.UTF8View) -> Bool {
        text.count == 32 && text.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
    }

    // MARK: Ends

    /// Players of a stream that have asked for nothing for too long are viewers no longer.
    func expire(of stream: Streams.Stream, at now: MonotonicTime, _ context: ServerContext) {
        end(.silent, becoming: .paused, context) { _, session in
            session.stream === stream && now - session.lastUse > silence
        }
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.viewing != nil || now - $0.value.lastUse < Self.memoryNanoseconds }
        }
    }

    /// The stream is no longer served.
    func withdraw(_ stream: Streams.Stream, _ context: ServerContext) {
        end(.streamRemoved, becoming: .paused, context) { _, session in session.stream === stream }
        sessions.withLock { sessions in sessions = sessions.filter { $0.value.stream !== stream } }
    }

    /// Ends what the access policy no longer permits.
    func review(_ context: ServerContext) {
        let refused = sessions.withLock(\.self).filter { !isPermitted($0.value, context) }.keys
        end(.notPermitted, becoming: .paused, context) { label, _ in refused.contains(label) }
        sessions.withLock { sessions in
            for label in refused { sessions[label] = nil }
        }
    }

    /// Ends all of them, because the server stops.
    func stop(_ context: ServerContext) { end(.serverStops, becoming: .paused, context) { _, _ in true } }

    /// Disconnects a viewer.
    ///
    /// - Returns: whether there is such a viewer.
    func disconnect(viewer id: String, _ context: ServerContext) -> Bool {
        end(.disconnected, becoming: .disconnected, context) { _, session in session.status?.id == id } > 0
    }

    @discardableResult
    private func end(
        _ reason: LiveEnd, becoming state: PlaybackSession.State, _ context: ServerContext,
        where isEnded: (String, PlaybackSession) -> Bool
    ) -> Int {
        let ended = sessions.withLock { sessions in
            let ended = sessions.filter { $0.value.viewing != nil && isEnded($0.key, $0.value) }
            for label in ended.keys { sessions[label]?.state = state }
            return Array(ended.values)
        }
        for session in ended { report(session, because: reason, context) }
        return ended.count
    }

    private func isPermitted(_ session: PlaybackSession, _ context: ServerContext) -> Bool {
        AccessControl(context).permits(
            session.grant, session.identity, toWatch: session.stream.path, since: session.access.policy)
    }

    // MARK: Reports

    private func report(_ session: PlaybackSession, because reason: LiveEnd? = nil, _ context: ServerContext) {
        let stream = session.stream
        if let reason {
            stream.viewerCounts.left(over: PlaybackSession.transport, reason.departure)
            stream.events?.publish(stream.path) { .viewerLeft(session.eventClient, reason: reason.text) }
        } else {
            stream.viewerCounts.joined(over: PlaybackSession.transport)
            stream.events?.publish(stream.path) { .viewerJoined(session.eventClient) }
        }
        context.log.activity(
            reason == nil ? "joined" : "left", of: stream.path, over: PlaybackSession.transport, session.client,
            because: reason)
    }

    /// All viewers that play.
    var viewers: [FollowerStatus] { sessions.withLock { $0.values.compactMap(\.status) } }
}

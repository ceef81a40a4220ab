import Media
import RTP

/// The state machine of a session: tracks of one stream, ready or playing (RFC 2326, appendix A.2).
///
/// ```
///          | SETUP            | PLAY              | PAUSE            | TEARDOWN
/// ready    | ready, +1 track  | playing           | ready, no effect | gone
/// playing  | 455              | no effect         | ready            | gone
/// ```
/// The RFC's state Init means that there is no session.
struct ServerSession: Sendable {
    enum State: Sendable {
        case ready
        case playing
    }

    let id: SessionID
    let path: String
    let query: String?
    let encapsulation: RTPEncapsulation
    /// The user of the session and the user's permissions.
    var grant: Grant
    /// The stream number in the URLs of ``SATIP``.
    let streamID: UInt16?
    /// The requested join mode; `nil` if no request of the session has one.
    private(set) var join: RequestedJoin?
    private(set) var tracks: [SetUpTrack]
    private(set) var state = State.ready
    /// The time of the client's last activity.
    var lastActivity: MonotonicTime

    /// Creates a session with the track of its first SETUP, or with a transport stream that has the number `streamID`.
    init(_ id: SessionID, _ request: SetUpRequest, _ track: SetUpTrack, streamID: UInt16?, at now: MonotonicTime) {
        self.id = id
        path = request.path
        query = request.query
        encapsulation = request.encapsulation
        grant = request.grant
        self.streamID = streamID
        join = request.join
        tracks = [track]
        lastActivity = now
    }

    /// Whether `url` names this session's stream or one of its tracks.
    func isAddressed(by url: RequestURL) -> Bool {
        url.path == path || streamID != nil && url.streamID == streamID
    }

    /// Checks whether another SETUP at `url` is possible. A transport stream already contains all tracks.
    func admitSetUp(at url: RequestURL) throws(Refusal) {
        guard isAddressed(by: url) else { throw Refusal(.aggregateOperationNotAllowed) }
        guard encapsulation == .tracks, state == .ready, !tracks.contains(where: { $0.control == url.track }) else {
            throw Refusal(.methodNotValidInThisState)
        }
    }

    mutating func setUp(_ track: SetUpTrack, joining join: RequestedJoin?) {
        tracks.append(track)
        self.join = join ?? self.join
    }

    /// Checks whether PLAY, PAUSE or TEARDOWN at `url` applies to this whole session.
    func admitControl(at url: RequestURL) throws(Refusal) {
        guard isAddressed(by: url) else { throw Refusal(.notFound, reason: "Not In This Session") }
        guard let track = url.track else { return }
        guard tracks.contains(where: { $0.control == track }) else {
            throw Refusal(.notFound, reason: "Track Not In This Session")
        }
        guard tracks.count == 1 else { throw Refusal(.onlyAggregateOperationAllowed) }
    }

    mutating func played() {
        state = .playing
    }

    mutating func paused() {
        state = .ready
    }
}

import Media
import RTP

/// What a client has set up: tracks of one stream, waiting or playing (RFC 2326, appendix A.2).
///
/// ```
///          | SETUP            | PLAY              | PAUSE            | TEARDOWN
/// ready    | ready, +1 track  | playing           | ready, no effect | gone
/// playing  | 455              | no effect         | ready            | gone
/// ```
/// The RFC's Init is the absence of a session.
struct ServerSession: Sendable {
    enum State: Sendable {
        case ready
        case playing
    }

    let id: SessionID
    let path: String
    let query: String?
    let encapsulation: RTPEncapsulation
    /// Whose it is.
    var grant: Grant
    /// The number that names the session in URLs: ``SATIP``.
    let streamID: UInt16?
    /// How it is to join when it plays; `nil` if no request of it said so.
    private(set) var join: RequestedJoin?
    private(set) var tracks: [SetUpTrack]
    private(set) var state = State.ready
    /// When the client last gave a sign of life.
    var lastActivity: MonotonicTime

    /// What `request` has set up: the first track, or a transport stream, which `streamID` names.
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

    /// Whether `url` is that of this session's stream or of a track of it.
    func isMeant(by url: RequestURL) -> Bool {
        url.path == path || streamID != nil && url.streamID == streamID
    }

    /// Whether a further SETUP at `url` may be tried. A transport stream has all tracks in it.
    func admitSetUp(at url: RequestURL) throws(Refusal) {
        guard isMeant(by: url) else { throw Refusal(.aggregateOperationNotAllowed) }
        guard encapsulation == .tracks, state == .ready, !tracks.contains(where: { $0.control == url.track }) else {
            throw Refusal(.methodNotValidInThisState)
        }
    }

    mutating func setUp(_ track: SetUpTrack, joining join: RequestedJoin?) {
        tracks.append(track)
        self.join = join ?? self.join
    }

    /// Whether PLAY, PAUSE or TEARDOWN at `url` means this whole session.
    func admitControl(at url: RequestURL) throws(Refusal) {
        guard isMeant(by: url) else { throw Refusal(.notFound, reason: "Not In This Session") }
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

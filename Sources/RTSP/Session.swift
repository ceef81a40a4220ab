import Media

/// What a client has set up: tracks of one stream, waiting or playing (RFC 2326, appendix A.2).
///
/// ```
///          | SETUP            | PLAY              | PAUSE            | TEARDOWN
/// ready    | ready, +1 track  | playing           | ready, no effect | gone
/// playing  | 455              | no effect         | ready            | gone
/// ```
/// The RFC's Init is the absence of a session.
struct Session: Sendable {
    enum State: Sendable {
        case ready
        case playing
    }

    let id: SessionID
    let path: String
    let query: String?
    private(set) var tracks: [SetUpTrack]
    private(set) var state = State.ready
    /// When the client last gave a sign of life.
    var lastHeard: MonotonicTime

    init(_ id: SessionID, path: String, query: String?, firstTrack: SetUpTrack, at now: MonotonicTime) {
        self.id = id
        self.path = path
        self.query = query
        tracks = [firstTrack]
        lastHeard = now
    }

    /// Whether a SETUP of `track` of the stream at `path` may be tried.
    func admitSetUp(path: String, track: String?) throws(Refusal) {
        guard path == self.path else { throw Refusal(.aggregateOperationNotAllowed) }
        guard state == .ready, !tracks.contains(where: { $0.control == track }) else {
            throw Refusal(.methodNotValidInThisState)
        }
    }

    mutating func setUp(_ track: SetUpTrack) {
        tracks.append(track)
    }

    /// Whether PLAY, PAUSE or TEARDOWN at `url` means this whole session.
    func admitControl(at url: RequestURL) throws(Refusal) {
        guard url.path == path else { throw Refusal(.notFound, reason: "Not In This Session") }
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

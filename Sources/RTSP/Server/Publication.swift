import Media
import SDP

/// A stream that the client of a connection publishes: the state machine of ANNOUNCE, SETUP and RECORD (RFC 2326, sections 10.3
/// and 10.11).
///
/// ```
///           | ANNOUNCE | SETUP           | RECORD    | PAUSE     | TEARDOWN
/// announced | replaced | ready, +1 track | 455       | 455       | 454
/// ready     | 455      | ready, +1 track | recording | no effect | gone
/// recording | 455      | 455             | no effect | ready     | gone
/// ```
/// A connection has at most one publication. Its session exists from the first SETUP on.
struct Publication: Sendable {
    enum State: Hashable, Sendable {
        case announced
        case ready(SessionID)
        case recording(SessionID)
    }

    var request: AnnounceRequest
    private(set) var state = State.announced
    private(set) var tracks: [PublishedTrack] = []
    private var lastActivity: MonotonicTime

    init(_ request: AnnounceRequest, at now: MonotonicTime) {
        self.request = request
        lastActivity = now
    }

    var path: String { request.path }

    /// The session; `nil` before the first SETUP.
    var session: SessionID? {
        switch state {
        case .announced: nil
        case .ready(let session), .recording(let session): session
        }
    }

    /// When it times out; `nil` while it records. Then only media shows that the publisher is alive: ffmpeg sends no keepalives.
    func deadline(afterSilenceOf milliseconds: Int64) -> MonotonicTime? {
        guard case .ready = state else { return nil }
        return lastActivity.advanced(byMilliseconds: milliseconds)
    }

    mutating func noteActivity(of session: SessionID, at now: MonotonicTime) {
        if session == self.session { lastActivity = max(lastActivity, now) }
    }

    /// The announced medium that the URL of a SETUP names.
    ///
    /// - Throws: 404 if it names none; 455 if it was set up before, or the client records.
    func medium(at url: RequestURL) throws(Refusal) -> Int {
        if case .recording = state { throw Refusal(.methodNotValidInThisState) }
        guard let index = request.medium(at: url) else { throw Refusal(.notFound, reason: "Not Found: no such track") }
        guard !tracks.contains(where: { $0.medium == index }) else { throw Refusal(.methodNotValidInThisState) }
        return index
    }

    mutating func setUp(_ track: PublishedTrack, in session: SessionID) {
        tracks.append(track)
        state = .ready(session)
    }

    mutating func recorded() {
        if let session { state = .recording(session) }
    }

    /// The client has paused. It has the time of an idle session to continue.
    mutating func paused(at now: MonotonicTime) {
        guard case .recording(let session) = state else { return }
        (state, lastActivity) = (.ready(session), now)
    }
}

/// A track that a client publishes.
struct PublishedTrack: Hashable, Sendable {
    /// The index of its medium in the announced description.
    let medium: Int
    let transport: TransportAnswer
}

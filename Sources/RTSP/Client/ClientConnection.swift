import Media
import SDP
import Wire

/// The state machine of a client's RTSP connection with one session, without sockets and clocks (RFC 2326).
///
/// After each input, call `nextAction()` until it returns `nil`, then wait until `nextDeadline`. Only one request is pending at a
/// time:
///
/// | phase | input | next phase |
/// |---|---|---|
/// | idle | connected | OPTIONS sent |
/// | OPTIONS sent | any answer | DESCRIBE sent |
/// | DESCRIBE sent | 200 with SDP | choosing (`.described`) |
/// | choosing | setUp | SETUP sent for the first track |
/// | SETUP sent | 200 | SETUP sent for the next track, or PLAY sent |
/// | PLAY sent | 200 | playing (`.playing`) |
/// | playing | half the session's timeout | playing, keepalive sent |
/// | any with a session | tearDown | TEARDOWN sent |
/// | TEARDOWN sent | any answer | closed |
/// | any | refusal, timeout, invalid data, end of connection | closed |
public struct ClientConnection: Sendable {
    public struct Configuration: Hashable, Sendable {
        public var userAgent = "apus"
        /// The timeout for a response. The RFC names no limit; players wait about this long.
        public var answerTimeoutMilliseconds: Int64 = 10_000

        public init() {}
    }

    enum Phase: Hashable, Sendable {
        case idle
        case options
        case describe
        case choosing
        case setUp(index: Int)
        case play
        case playing
        case tearDown
        case closed
    }

    var requests: ClientRequests
    /// The requested URL; after DESCRIBE, the base of relative control attributes.
    var base: String
    /// The URL in PLAY, keepalives and TEARDOWN.
    var aggregate: String
    var phase = Phase.idle
    var media: [MediaDescription] = []
    var tracks: [TrackSetUp] = []
    var trackURLs: [String] = []
    var keepalive = ClientKeepalive()
    private var parser = Parser()
    private var actions = ActionQueue<ClientAction>()
    /// The shortest time from a request to its response so far, in nanoseconds; it includes the server's processing time.
    public var shortestRoundTrip: Int64? { requests.shortestRoundTrip }

    /// Creates a client of `url`, which is sent as `RequestURL` writes it: without user and password.
    ///
    /// - Parameter login: the credentials for the server's challenges.
    public init(url: RequestURL, configuration: Configuration = Configuration(), login: ClientLogin? = nil) {
        requests = ClientRequests(
            userAgent: configuration.userAgent, timeoutMilliseconds: configuration.answerTimeoutMilliseconds,
            login: login)
        base = url.text
        aggregate = url.text
    }

    /// The time at which to call `deadlinePassed`; `distantFuture` if nothing is pending.
    public var nextDeadline: MonotonicTime {
        phase == .closed ? .distantFuture : min(requests.pending?.deadline ?? .distantFuture, keepalive.due)
    }

    /// The next action; `nil` if there are no more.
    public mutating func nextAction() -> ClientAction? { actions.next() }

    /// The connection is established.
    public mutating func connected(at now: MonotonicTime) {
        guard phase == .idle else { return }
        phase = .options
        send(.options, base, at: now)
    }

    /// Bytes came.
    public mutating func received(_ bytes: RawSpan, at now: MonotonicTime) {
        guard phase != .closed else { return }
        parser.append(bytes)
        do throws(ParseError) {
            while phase != .closed, let element = try parser.next() {
                receive(element, at: now)
            }
        } catch {
            close(.badMessage(error))
        }
    }

    /// The server ended the connection.
    public mutating func receivedEnd(at now: MonotonicTime) {
        close(phase == .tearDown ? .finished : .endedByServer)
    }

    /// Chooses the tracks to play, at least one, in answer to `.described`.
    public mutating func setUp(_ tracks: [TrackSetUp], at now: MonotonicTime) {
        guard phase == .choosing else { return }
        guard !tracks.isEmpty, tracks.allSatisfy({ media.indices.contains($0.mediaIndex) }) else {
            return close(.unusableAnswer(.describe, "no track to set up"))
        }
        self.tracks = tracks
        trackURLs = tracks.map { resolve(media[$0.mediaIndex].control) }
        sendSetUp(0, at: now)
    }

    /// Ends the session with a TEARDOWN, or closes the connection at once if there is no session.
    public mutating func tearDown(at now: MonotonicTime) {
        guard phase != .closed, phase != .tearDown else { return }
        guard requests.session != nil else { return close(.finished) }
        phase = .tearDown
        keepalive.stop()
        send(.tearDown, aggregate, at: now)
    }

    /// `nextDeadline` has passed: a response is overdue, or a keepalive is due.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        guard phase != .closed else { return }
        // Some cameras answer no keepalive and go on sending. If they do not, no media comes, which the owner notices.
        if phase == .playing, let pending = requests.pending, pending.deadline <= now { requests.cancel() }
        if let pending = requests.pending, pending.deadline <= now {
            close(phase == .tearDown ? .finished : .noAnswer(pending.request.method))
        } else if keepalive.due <= now {
            sendKeepalive(at: now)
        }
    }

    private mutating func receive(_ element: Parser.Element, at now: MonotonicTime) {
        switch element {
        case .interleaved(let channel, let bytes): actions.append(.receivedInterleaved(channel: channel, bytes))
        case .response(let response): receive(response, at: now)
        case .request(let request): refuse(request)
        }
    }

    /// Refuses a request of the server (RFC 2326, section 10): the client needs none of them.
    private mutating func refuse(_ request: Request) {
        var headers = Headers()
        headers[.cSeq] = request.headers[.cSeq]
        let status: StatusCode = request.method == .options ? .ok : .notImplemented
        actions.append(.send(Writer.bytes(of: Response(status, headers: headers))))
    }

    mutating func act(_ action: ClientAction) {
        actions.append(action)
    }

    mutating func close(_ reason: ClientCloseReason) {
        guard phase != .closed else { return }
        phase = .closed
        requests.cancel()
        keepalive.stop()
        actions.append(.close(reason))
    }

    mutating func send(_ method: Method, _ target: String, _ headers: Headers = [:], at now: MonotonicTime) {
        actions.append(.send(requests.send(Request(method, target, headers: headers), at: now)))
    }
}

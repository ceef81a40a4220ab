import Media
import SDP
import Wire

/// An action that a ``PublishingConnection`` orders.
public enum PublishingAction: Hashable, Sendable {
    /// Write these bytes to the connection.
    case send([UInt8])
    /// The server accepted this transport for the track with this index in the description.
    case setUp(index: Int, Transport)
    /// The server takes media from now on.
    case recording
    /// A packet came on the connection: RTCP of the server. The bytes are shared with the input of the connection. Release them
    /// before the next `received`, which otherwise copies that input.
    case receivedInterleaved(channel: UInt8, ArraySlice<UInt8>)
    /// Close the connection; no action follows.
    case close(ClientCloseReason)
}

/// The state machine of a client that publishes one stream to a server, without sockets and clocks (RFC 2326, sections 10.3 and
/// 10.11).
///
/// After each input, call `nextAction()` until it returns `nil`, then wait until `nextDeadline`. Only one request is pending at a
/// time:
///
/// | phase | input | next phase |
/// |---|---|---|
/// | idle | connected | OPTIONS sent |
/// | OPTIONS sent | any answer | ANNOUNCE sent |
/// | ANNOUNCE sent | 200 | SETUP sent for the first track |
/// | SETUP sent | 200 | SETUP sent for the next track, or RECORD sent |
/// | RECORD sent | 200 | recording (`.recording`) |
/// | recording | half the session's timeout | recording, keepalive sent |
/// | any with a session | tearDown | TEARDOWN sent |
/// | TEARDOWN sent | any answer | closed |
/// | any | refusal, timeout, invalid data, end of connection, TEARDOWN of the server | closed |
public struct PublishingConnection: Sendable {
    public struct Configuration: Hashable, Sendable {
        public var userAgent = "apus"
        /// The timeout for a response, in milliseconds: that of clients that play.
        public var answerTimeoutMilliseconds: Int64 = 10_000

        public init() {}
    }

    enum Phase: Hashable, Sendable {
        case idle
        case options
        case announce
        case setUp(index: Int)
        case record
        case recording
        case tearDown
        case closed
    }

    /// The URL of the stream, which is also in ANNOUNCE, RECORD, keepalives and TEARDOWN.
    private let url: RequestURL
    private(set) var phase = Phase.idle
    private var requests: ClientRequests
    private var description: SessionDescription?
    private var transports: [Transport] = []
    private var keepalive = ClientKeepalive()
    private var parser = Parser()
    private var actions = ActionQueue<PublishingAction>()

    /// Creates a publisher to `url`, which is sent as `RequestURL` writes it: without user and password.
    ///
    /// - Parameter login: the credentials for the server's challenges.
    public init(url: RequestURL, configuration: Configuration = Configuration(), login: ClientLogin? = nil) {
        self.url = url
        requests = ClientRequests(
            userAgent: configuration.userAgent, timeoutMilliseconds: configuration.answerTimeoutMilliseconds,
            login: login)
    }

    /// The time at which to call `deadlinePassed`; `distantFuture` if nothing is pending.
    public var nextDeadline: MonotonicTime {
        phase == .closed ? .distantFuture : min(requests.pending?.deadline ?? .distantFuture, keepalive.due)
    }

    /// The next action; `nil` if there are no more.
    public mutating func nextAction() -> PublishingAction? { actions.next() }
}

// MARK: - Inputs

extension PublishingConnection {
    /// The connection is established.
    ///
    /// - Parameters:
    ///   - description: what is announced, with a control attribute for each medium.
    ///   - transports: the transport to ask for, of each medium.
    public mutating func connected(
        announcing description: SessionDescription, over transports: [Transport], at now: MonotonicTime
    ) {
        guard phase == .idle else { return }
        guard !transports.isEmpty, transports.count == description.media.count else {
            preconditionFailure("a description has media, each with a transport")
        }
        (self.description, self.transports) = (description, transports)
        phase = .options
        send(Request(.options, url.text), at: now)
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

    /// Ends the publication with a TEARDOWN, or closes the connection at once if there is no session.
    public mutating func tearDown(at now: MonotonicTime) {
        guard phase != .closed, phase != .tearDown else { return }
        guard requests.session != nil else { return close(.finished) }
        phase = .tearDown
        keepalive.stop()
        send(Request(.tearDown, url.text), at: now)
    }

    /// `nextDeadline` has passed: a response is overdue, or a keepalive is due.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        guard phase != .closed else { return }
        if let pending = requests.pending, pending.deadline <= now {
            close(phase == .tearDown ? .finished : .noAnswer(pending.request.method))
        } else if keepalive.due <= now {
            keepalive.schedule(for: requests.session, at: now)
            if requests.pending == nil { send(Request(keepalive.method, url.text), at: now) }
        }
    }
}

// MARK: - Responses

extension PublishingConnection {
    private mutating func receive(_ element: Parser.Element, at now: MonotonicTime) {
        switch element {
        case .interleaved(let channel, let bytes): act(.receivedInterleaved(channel: channel, bytes))
        case .response(let response): receive(response, at: now)
        case .request(let request): answer(request)
        }
    }

    private mutating func receive(_ response: Response, at now: MonotonicTime) {
        switch requests.received(response, at: now) {
        case .ignored: break
        case .repeated(let bytes): act(.send(bytes))
        case .answered(let request): receive(response, to: request, at: now)
        }
    }

    private mutating func receive(_ response: Response, to request: Request, at now: MonotonicTime) {
        // Some servers name the session in the answer to ANNOUNCE, most in that to the first SETUP.
        if response.status.isSuccess { requests.keepSession(of: response) }
        switch phase {
        case .recording: return receiveKeepaliveAnswer(response)
        case .tearDown: return close(.finished)
        // A server that does not know OPTIONS may still take a stream.
        case .options where response.status != .unauthorized && !response.status.isRedirection: break
        default:
            guard response.status.isSuccess else {
                return close(requests.reason(toCloseAfter: response, to: request.method))
            }
        }
        switch phase {
        case .options: receiveOptions(response, at: now)
        case .announce: sendSetUp(0, at: now)
        case .setUp(let index): receiveSetUp(index, response, at: now)
        case .record:
            phase = .recording
            keepalive.schedule(for: requests.session, at: now)
            act(.recording)
        case .idle, .recording, .tearDown, .closed: break
        }
    }

    private mutating func receiveOptions(_ response: Response, at now: MonotonicTime) {
        keepalive.choose(by: response)
        phase = .announce
        let body = Array((description?.text ?? "").utf8)
        send(Request(.announce, url.text, headers: [.contentType: "application/sdp"], body: body), at: now)
    }

    private mutating func sendSetUp(_ index: Int, at now: MonotonicTime) {
        phase = .setUp(index: index)
        var transport = transports[index]
        transport.mode = .record
        send(Request(.setUp, trackURL(index), headers: [.transport: transport.headerValue]), at: now)
    }

    /// The URL with the medium's control name appended, also after a query: so write it ffmpeg and gortsplib, and so servers expect
    /// it.
    private func trackURL(_ index: Int) -> String {
        guard let control = description?.media[index].control else { return url.text }
        return url.text.hasSuffix("/") ? url.text + control : "\(url.text)/\(control)"
    }

    private mutating func receiveSetUp(_ index: Int, _ response: Response, at now: MonotonicTime) {
        guard let transport = response.headers[.transport].flatMap({ Transport.list($0).first }) else {
            return close(.unusableAnswer(.setUp, "no transport"))
        }
        act(.setUp(index: index, transport))
        guard index + 1 == transports.count else { return sendSetUp(index + 1, at: now) }
        phase = .record
        send(Request(.record, url.text, headers: [.range: "npt=0.000-"]), at: now)
    }

    private mutating func receiveKeepaliveAnswer(_ response: Response) {
        guard !keepalive.received(response) else { return }
        close(requests.reason(toCloseAfter: response, to: keepalive.method))
    }
}

// MARK: - Requests

extension PublishingConnection {
    /// Answers a request of the server, which may ask whether the client is alive, or end the session.
    private mutating func answer(_ request: Request) {
        var headers = Headers()
        headers[.cSeq] = request.headers[.cSeq]
        let isKnown = [.options, .getParameter, .tearDown].contains(request.method)
        act(.send(Writer.bytes(of: Response(isKnown ? .ok : .notImplemented, headers: headers))))
        if request.method == .tearDown { close(.endedByServer) }
    }

    private mutating func send(_ request: Request, at now: MonotonicTime) {
        act(.send(requests.send(request, at: now)))
    }

    private mutating func act(_ action: PublishingAction) { actions.append(action) }

    private mutating func close(_ reason: ClientCloseReason) {
        guard phase != .closed else { return }
        phase = .closed
        requests.cancel()
        keepalive.stop()
        act(.close(reason))
    }
}

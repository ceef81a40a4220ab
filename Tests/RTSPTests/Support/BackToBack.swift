import Media
import RTSP
import Wire

/// A client and a server state machine that are connected back to back, on virtual time.
struct BackToBack {
    var client: ClientConnection
    var server: ServerConnection
    var now = MonotonicTime(nanoseconds: 0)
    /// The number of bytes per read on both sides.
    var chunk = Int.max
    /// The client's actions except for `send`.
    private(set) var clientActions: [ClientAction] = []
    /// The sessions that the server ended.
    private(set) var tornDown: [SessionID] = []
    /// The access failures that the server reported.
    private(set) var refusals: [AccessFailure] = []

    static let sdp = """
        v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=cam\r\nt=0 0\r\na=control:*\r\n\
        m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:track1\r\n\
        m=audio 0 RTP/AVP 97\r\na=rtpmap:97 L16/48000\r\na=control:track2\r\n
        """

    init(
        url: String = "rtsp://127.0.0.1:8554/cam", sessionTimeoutSeconds: Int = 60, access: AccessPolicy? = nil,
        login: ClientLogin? = nil
    ) {
        guard let url = RequestURL(url) else { preconditionFailure("the test's URL is one") }
        var configuration = ServerConnection.Configuration()
        configuration.sessionTimeoutSeconds = sessionTimeoutSeconds
        let endpoint = Endpoint(address: "127.0.0.1", isLoopback: true)
        server = ServerConnection(
            configuration: configuration, access: access, peer: endpoint, local: endpoint, at: now)
        client = ClientConnection(url: url, login: login)
    }

    /// Makes the client connect, describe, set up both tracks and play.
    mutating func play() {
        client.connected(at: now)
        settle()
        client.setUp([offer(0), offer(1)], at: now)
        settle()
    }

    func offer(_ index: Int) -> TrackSetUp {
        var transport = Transport(.tcp, .unicast)
        transport.interleaved = ChannelPair(rtp: UInt8(index * 2), rtcp: UInt8(index * 2 + 1))
        return TrackSetUp(mediaIndex: index, transport: transport)
    }

    /// Advances the clock, and calls both sides at their deadlines.
    mutating func advance(seconds: Int64) {
        now = now.advanced(byMilliseconds: seconds * 1_000)
        if client.nextDeadline <= now { client.deadlinePassed(at: now) }
        settle()
        if let deadline = server.nextDeadline, deadline <= now { server.deadlinePassed(at: now) }
        settle()
    }

    /// Exchanges bytes until both sides are silent.
    mutating func settle() {
        var isBusy = true
        while isBusy {
            isBusy = false
            while let action = client.nextAction() {
                isBusy = true
                guard case .send(let bytes) = action else {
                    clientActions.append(action)
                    continue
                }
                for part in bytes.parts(of: chunk) { server.received(part.rawSpan, at: now) }
            }
            while let action = server.nextAction() {
                isBusy = true
                perform(action)
            }
            if server.hasUnprocessedMessages {
                isBusy = true
                server.continueProcessing(at: now)
            }
        }
    }

    private mutating func perform(_ action: ServerAction) {
        switch action {
        case .send(let bytes):
            for part in bytes.parts(of: chunk) { client.received(part.rawSpan, at: now) }
        case .describe(let id, _): server.described(id, .success(DescribeAnswer(sdp: Array(Self.sdp.utf8))), at: now)
        case .setUp(let id, let request):
            guard case .interleaved(let channels, _)? = request.offers.first else {
                server.setUp(id, .failure(Refusal(.unsupportedTransport)), at: now)
                return
            }
            let transport = TransportAnswer.interleaved(channels, ssrc: 7)
            server.setUp(id, .success(SetUpAnswer(transport, freshSession: SessionID(random: 1, 2))), at: now)
        case .play(let id, let request):
            let entries = request.tracks.map { RTPInfo.Entry(url: $0.url, sequenceNumber: 9, timestamp: 10) }
            server.played(id, .success(PlayAnswer(rtpInfo: RTPInfo(entries), range: nil)), at: now)
        case .tearDown(let session, _): tornDown.append(session)
        case .accessRefused(let failure): refusals.append(failure)
        case .announce(let id, _): server.announced(id, .failure(Refusal(.notFound)), at: now)
        case .setUpPublisher(let id, _): server.setUp(id, .failure(Refusal(.notFound)), at: now)
        case .record(let id, _): server.recorded(id, Refusal(.notFound), at: now)
        case .startSending, .pause, .receivedInterleaved, .decide, .addressLockedOut, .close: break
        }
    }
}

extension [UInt8] {
    /// The bytes in pieces of at most `count`.
    fileprivate func parts(of count: Int) -> [[UInt8]] {
        guard count < self.count else { return [self] }
        return stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

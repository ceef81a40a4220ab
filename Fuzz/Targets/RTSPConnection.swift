import Fuzzing
import Media
import RTSP
import Wire

/// The server's state machine with arbitrary bytes, answers and times: it is closed or waits for something, never spins, sends
/// only well-formed responses, and buffers a bounded number of bytes. With an input of odd length, the connection is inside TLS.
@Sendable func fuzzRTSPConnection(_ input: [UInt8]) {
    var run = ConnectionRun(input.count % 2 == 0 ? .clear : .tls)
    var script = Script(input)
    while !script.isAtEnd, run.steps < 2_000 { run.step(&script) }
    run.end()
}

private struct ConnectionRun {
    var steps = 0
    private var connection: ServerConnection
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var waiting: [ServerAction] = []
    private var sessions: [SessionID] = []
    private var said: [UInt8] = []
    private var sawClose = false
    private var sawDescribe = false
    /// The session of a publisher, from its first SETUP on.
    private var publisher: SessionID?
    private var isRecording = false
    private var bytesBehindPending = 0

    init(_ security: ConnectionSecurity) {
        var configuration = ServerConnection.Configuration()
        // Small limits, which a few kilobytes reach.
        configuration.messageLimits.headByteCount = 512
        configuration.messageLimits.headerCount = 8
        configuration.messageLimits.bodyByteCount = 256
        configuration.maximumSessionCount = 2
        configuration.maximumWaitingByteCount = 1_024
        configuration.servesSRTP = true
        let here = Endpoint(address: "127.0.0.1", isLoopback: true)
        connection = ServerConnection(
            configuration: configuration, peer: here, local: here, security: security, at: now)
    }

    mutating func step(_ script: inout Script) {
        steps += 1
        let operation = script.byte()
        switch operation {
        case 0x20...0xFF:
            // Mostly text, so that a transcript is almost a valid input.
            receive([operation] + script.line())
        case 0: receive(script.chunk())
        case 1: now = now.advanced(byMilliseconds: Int64(script.uint16()))
        case 2: answer(refusing: false, script.byte())
        case 3: answer(refusing: true, script.byte())
        case 4: connection.deadlinePassed(at: now)
        case 5: passDeadline()
        case 6: if let session = sessions.last { connection.noteActivity(of: session, at: now) }
        case 7: connection.receivedEnd(at: now)
        case 8: connection.shuttingDown()
        default: receive([operation])
        }
        drain()
    }

    mutating func end() {
        connection.shuttingDown()
        drain()
        require(connection.isClosed && sawClose, "a server that shuts down closes")
        checkSaid()
    }

    private mutating func receive(_ bytes: [UInt8]) {
        if !waiting.isEmpty { bytesBehindPending += bytes.count }
        connection.received(bytes.rawSpan, at: now)
        if bytesBehindPending > 8 * connection.configuration.maximumWaitingByteCount {
            require(connection.isClosed, "bytes after an unanswered request are bounded")
        }
    }

    private mutating func passDeadline() {
        guard let deadline = connection.nextDeadline else { return }
        now = max(now, deadline)
        connection.deadlinePassed(at: now)
        drain()
        if let next = connection.nextDeadline { require(next > now, "a passed deadline is not due again") }
    }

    private mutating func drain() {
        takeActions()
        while connection.hasUnprocessedMessages {
            require(!connection.wantsBytes, "no bytes are requested while messages are pending")
            connection.continueProcessing(at: now)
            takeActions()
        }
    }

    private mutating func takeActions() {
        while let action = connection.nextAction() {
            require(!sawClose, "nothing follows the close")
            switch action {
            case .send(let bytes): said += bytes
            case .describe, .setUp, .play, .announce, .setUpPublisher, .record:
                if case .describe = action { sawDescribe = true }
                if case .setUp(_, let request) = action { checkForm(of: request) }
                require(waiting.isEmpty, "one request is pending at a time")
                waiting.append(action)
                bytesBehindPending = 0
            case .tearDown(let session, _):
                sessions.removeAll { $0 == session }
                if session == publisher { (publisher, isRecording) = (nil, false) }
            case .startSending(let session), .pause(let session), .receivedInterleaved(let session, _, _):
                require(sessions.contains(session), "orders refer to existing sessions")
            case .decide, .accessRefused, .addressLockedOut: require(false, "without users no client is refused")
            case .close: sawClose = true
            }
        }
        require(sawClose == connection.isClosed, "closed means that close was ordered")
        if connection.isClosed {
            require(sessions.isEmpty, "every session is torn down before the close")
            waiting = []
        } else if waiting.isEmpty {
            // The media of a publisher has a deadline outside the state machine.
            require(
                connection.nextDeadline != nil || isRecording, "a connection that waits for its peer has a deadline")
        }
    }

    /// A transport stream needs a new session, over UDP, on a connection without tracks.
    private func checkForm(of request: SetUpRequest) {
        guard request.encapsulation == .transportStream else { return }
        require(request.session == nil && request.track == nil && !sawDescribe, "a SETUP of tracks asks for tracks")
        for case .interleaved in request.offers { require(false, "a transport stream travels over UDP") }
    }

    private mutating func answer(refusing: Bool, _ variant: UInt8) {
        guard let action = waiting.popLast() else { return }
        let refusal = Refusal(variant & 1 == 0 ? .notFound : .unsupportedTransport)
        switch action {
        case .describe(let id, _):
            let description = DescribeAnswer(sdp: [UInt8]("v=0\r\ns=-\r\nt=0 0\r\n".utf8))
            connection.described(id, refusing ? .failure(refusal) : .success(description), at: now)
        case .setUp(let id, let request):
            require(!request.offers.isEmpty, "a SETUP offers something")
            let answer = SetUpAnswer(
                transport(for: request.offers[Int(variant) % request.offers.count]),
                freshSession: SessionID(random: UInt64(steps), UInt64(variant)), streamID: UInt16(variant))
            if let session = connection.setUp(id, refusing ? .failure(refusal) : .success(answer), at: now),
                !sessions.contains(session)
            {
                // The machine may have closed and torn down the session after its response; handled next.
                sessions.append(session)
            }
            require(sessions.count <= 3, "sessions are bounded")
        case .announce(let id, let request):
            require(!request.description.media.isEmpty, "an announced stream has media")
            connection.announced(id, refusing ? .failure(refusal) : announceAnswer(request), at: now)
        case .setUpPublisher(let id, let request):
            require(request.announcement.description.media.indices.contains(request.medium), "a SETUP names a medium")
            require(
                request.offers.contains { $0.profile.isSecure } == (request.key != nil),
                "an encrypted track has a key, and no other has one")
            require(connection.security == .tls || request.key == nil, "keys are taken inside TLS only")
            let answer = SetUpAnswer(
                transport(for: request.offers[Int(variant) % request.offers.count]),
                freshSession: SessionID(random: UInt64(steps), UInt64(variant)))
            guard let session = connection.setUp(id, refusing ? .failure(refusal) : .success(answer), at: now) else {
                break
            }
            publisher = session
            if !sessions.contains(session) { sessions.append(session) }
        case .record(let id, let session):
            require(session == publisher, "a RECORD is for the session that was set up")
            isRecording = !refusing || isRecording
            connection.recorded(id, refusing ? refusal : nil, at: now)
        case .play(let id, let request):
            let entries = request.tracks.map { RTPInfo.Entry(url: $0.url, sequenceNumber: 1, timestamp: nil) }
            let answer = PlayAnswer(rtpInfo: RTPInfo(entries), range: request.range)
            connection.played(id, refusing ? .failure(refusal) : .success(answer), at: now)
        default: break
        }
    }

    /// Admits a publisher whose keys are usable.
    private func announceAnswer(_ request: AnnounceRequest) -> Result<AnnounceAnswer, Refusal> {
        Result { () throws(Refusal) in
            let keys = try connection.senderKeys(of: request)
            require(keys.isEmpty || connection.security == .tls, "keys are taken inside TLS only")
            return AnnounceAnswer(keys: keys.mapValues { _ in Self.reportKey })
        }
    }

    private static let reportKey = MIKEYMessage(
        bundle: 1, cryptoSessions: [], timestamp: nil, random: [], policies: [], keys: [])

    private func transport(for offer: TransportOffer) -> TransportAnswer {
        switch offer {
        case .udp(let ports, let profile):
            .udp(clientPorts: ports, serverPorts: PortPair(rtp: 6970, rtcp: 6971), ssrc: 7, profile: profile)
        case .interleaved(let channels, let profile): .interleaved(channels, ssrc: 7, profile: profile)
        case .multicast: .multicast(group: "239.0.0.1", ports: PortPair(rtp: 5004, rtcp: 5005), timeToLive: 1)
        }
    }

    /// All output consists of responses, except one HTTP response, which is the last.
    private func checkSaid() {
        var parser = Parser()
        parser.append(said.rawSpan)
        do throws(ParseError) {
            while let element = try parser.next() {
                guard case .response = element else { return require(false, "a server sends only responses") }
            }
            require(!parser.isInsideMessage, "responses are complete")
        } catch {
            require(error.fault == .http, "a server's messages are well-formed: \(error)")
        }
    }
}

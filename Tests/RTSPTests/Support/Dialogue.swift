import Media
import RTP
import Testing
import Wire

@testable import RTSP

/// A ``ServerConnection`` on virtual time, with a client and a server that serves `/cam` with two tracks.
struct Dialogue {
    var connection: ServerConnection
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    /// All actions except for `send`.
    var orders: [ServerAction] = []
    /// All sent bytes.
    var sent: [UInt8] = []
    /// Whether DESCRIBE, SETUP and PLAY are answered at once.
    var answers = true
    /// Whether the connection processes waiting messages at once.
    var goesOn = true
    /// The CSeq of the next request.
    var number = 1
    private var replies = Parser()
    private var sessionCount: UInt64 = 0

    static let url = "rtsp://cam.example:8554/cam"
    static let peer = Endpoint(address: "192.0.2.7", isLoopback: false)

    init(
        _ configuration: ServerConnection.Configuration = .init(), access: AccessPolicy? = nil,
        lockOut: LockOut = LockOut(), peer: Endpoint = Self.peer, security: ConnectionSecurity = .clear
    ) {
        let local = Endpoint(address: "192.0.2.1", isLoopback: false)
        connection = ServerConnection(
            configuration: configuration, access: access, lockOut: lockOut, peer: peer, local: local,
            security: security, at: now)
    }

    /// The ID of the session that the `count`th SETUP created.
    static func session(_ count: UInt64) -> SessionID { SessionID(random: 0xABCD, count) }

    /// Passes bytes to the connection and returns the responses.
    @discardableResult
    mutating func put(_ bytes: [UInt8]) -> [Response] {
        connection.received(bytes.rawSpan, at: now)
        return drain()
    }

    @discardableResult
    mutating func put(_ text: String) -> [Response] { put(Array(text.utf8)) }

    /// Sends a request with the next CSeq and returns the only response; `nil` if there is none yet.
    @discardableResult
    mutating func ask(
        _ method: RTSP.Method, _ url: String = Dialogue.url, _ headers: Headers = [:], body: [UInt8] = []
    ) -> Response? {
        var request = Request(method, url, headers: headers, body: body)
        request.headers[.cSeq] = String(number)
        number += 1
        let responses = put(Writer.bytes(of: request))
        #expect(responses.count <= 1)
        return responses.last
    }

    /// Sets up a track over TCP and returns the session's ID.
    mutating func setUp(_ track: String = "track1", in session: SessionID? = nil) throws -> SessionID {
        var headers: Headers = [.transport: "RTP/AVP/TCP;unicast"]
        headers[.session] = session?.text
        let response = ask(.setUp, "\(Self.url)/\(track)", headers)
        #expect(response?.status == .ok)
        return try #require(response?.headers[.session].flatMap(SessionHeader.init)?.id)
    }

    /// Advances the clock, and calls the connection at its deadlines.
    mutating func pass(milliseconds: Int64) {
        let end = now.advanced(byMilliseconds: milliseconds)
        while let deadline = connection.nextDeadline, deadline <= end {
            now = max(now, deadline)
            connection.deadlinePassed(at: now)
            drain()
            if let next = connection.nextDeadline { #expect(next > now, "the next deadline is in the future") }
        }
        now = end
        connection.deadlinePassed(at: now)
        drain()
    }

    /// Executes all actions and returns the responses among them.
    @discardableResult
    mutating func drain() -> [Response] {
        while let action = connection.nextAction() {
            switch action {
            case .send(let bytes):
                sent += bytes
                replies.append(bytes.rawSpan)
            default: orders.append(action)
            }
            if answers { answer(action) }
        }
        if goesOn, connection.hasUnprocessedMessages {
            connection.continueProcessing(at: now)
            return drain()
        }
        var responses: [Response] = []
        while case .response(let response)? = try? replies.next() { responses.append(response) }
        return responses
    }

    mutating func answer(_ action: ServerAction) {
        switch action {
        case .describe(let id, let request):
            let known = ["/", "/cam"].contains(request.path)
            let sdp = Array("v=0\r\n".utf8)
            connection.described(id, known ? .success(DescribeAnswer(sdp: sdp)) : .failure(Refusal(.notFound)), at: now)
        case .setUp(let id, let request):
            connection.setUp(id, .success(setUpAnswer(request)), at: now)
        case .announce(let id, let request):
            connection.announced(id, announceAnswer(request), at: now)
        case .setUpPublisher(let id, let request):
            if request.session == nil { sessionCount += 1 }
            let answer = SetUpAnswer(
                Self.answer(to: request.offers[0]), freshSession: Self.session(sessionCount),
                key: request.key == nil ? nil : Self.reportKey)
            connection.setUp(id, .success(answer), at: now)
        case .record(let id, _): connection.recorded(id, nil, at: now)
        case .play(let id, let request):
            let entries = request.tracks.map {
                RTPInfo.Entry(url: $0.url, sequenceNumber: 7, timestamp: 90_000)
            }
            connection.played(id, .success(PlayAnswer(rtpInfo: RTPInfo(entries), range: .live)), at: now)
        default: break
        }
    }

    /// Admits all publishers whose keys are usable, except at `/taken`.
    private func announceAnswer(_ request: AnnounceRequest) -> Result<AnnounceAnswer, Refusal> {
        do throws(Refusal) {
            if request.path == "/taken" { throw Refusal(.forbidden, reason: "Published") }
            return .success(
                AnnounceAnswer(keys: try connection.senderKeys(of: request).mapValues { _ in Self.reportKey }))
        } catch {
            return .failure(error)
        }
    }

    /// The key of the server's reports to publishers.
    static let reportKey = MIKEYMessage(
        MasterKey(.counterMode, material: [UInt8](repeating: 7, count: 30))!, ssrc: 7, bundle: 1, timestamp: 2,
        random: [3])

    /// The answer to the transport of a publisher.
    private static func answer(to offer: TransportOffer) -> TransportAnswer {
        switch offer {
        case .udp(let ports, let profile):
            .udp(clientPorts: ports, serverPorts: PortPair(rtp: 6000, rtcp: 6001), ssrc: nil, profile: profile)
        case .interleaved(let pair, let profile): .interleaved(pair, ssrc: nil, profile: profile)
        case .multicast: preconditionFailure("publishers are not offered multicast")
        }
    }

    private mutating func setUpAnswer(_ request: SetUpRequest) -> SetUpAnswer {
        if request.session == nil { sessionCount += 1 }
        let transport: TransportAnswer =
            switch request.offers[0] {
            case .udp(let ports, let profile):
                .udp(clientPorts: ports, serverPorts: PortPair(rtp: 6000, rtcp: 6001), ssrc: 0xBEEF, profile: profile)
            case .interleaved(let pair, let profile): .interleaved(pair, ssrc: 0xBEEF, profile: profile)
            case .multicast:
                .multicast(group: "239.255.0.1", ports: PortPair(rtp: 7000, rtcp: 7001), timeToLive: 1)
            }
        return SetUpAnswer(
            transport, freshSession: Self.session(sessionCount), streamID: UInt16(truncatingIfNeeded: sessionCount))
    }

    var closeReason: CloseReason? {
        guard case .close(let reason)? = orders.last else { return nil }
        return reason
    }
}

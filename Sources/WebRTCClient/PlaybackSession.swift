import Connecting
import HTTP
import Media
import RTP
import RTSP
import RTSPClient
import Reactor
import WebRTC

/// One session with a WHEP server: the offer over HTTP, the transport, and the reception of the tracks. Loop thread only.
///
/// ```
/// requesting ──201──▶ connecting ──keys──▶ playing ──▶ leaving ──response to DELETE──▶ over
///     │                   └───failure─────────┴───────────▲                            ▲
///     └──────────────────────────────failure, no resource──────────────────────────────┘
/// ```
final class PlaybackSession: PlayingSession {
    private enum Phase {
        case requesting(SignallingExchange)
        case connecting
        case playing
        /// The session ends like this, whatever becomes of the request.
        case leaving(SignallingExchange, ClientSessionEnd)
    }

    /// The sockets, by their numbers.
    private enum Socket {
        static let offer = 0
        static let media = 1
        static let farewell = 2
    }

    let number: SessionNumber
    let plan: PlaybackPlan
    private let place: SessionPlace
    private let offer: PlaybackOffer
    private var phase: Phase
    private var end: ClientSessionEnd?
    private(set) var isOver = false
    private var hasConnected = false
    /// Path and query of the session's resource; `nil` if the server has named none.
    private var resource: String?
    private var login: ClientLogin?
    private var agreement: PlaybackAgreement?
    var socket: UDPSocket?
    var candidates: [ReachableCandidate] = []
    private(set) var transport: PeerTransport?
    /// `nil` before the keys are known.
    var reception: SessionReception?

    /// How long the response to the offer may take. Apus waits up to 5 s for the first frame of a source that runs on demand.
    private static let responseSeconds: Int64 = 10
    /// How long the response to DELETE is awaited. The server ends the session without it, too.
    private static let farewellSeconds: Int64 = 2

    init(_ place: SessionPlace, _ plan: PlaybackPlan, at now: MonotonicTime) {
        (number, self.place, self.plan, login) = (place.number, place, plan, plan.login)
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<ICECredentials.randomByteCount).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        offer = PlaybackOffer(
            credentials: ICECredentials(random: bytes),
            fingerprint: DTLSFingerprint(sha256: plan.identity.fingerprint), sessionID: random.next())
        let type = MediaType.sessionDescription.rawValue
        let request = SignallingExchange.Request(
            method: "POST", target: plan.endpoint.target, headers: [("Content-Type", type), ("Accept", type)],
            body: Array(offer.text.utf8))
        phase = .requesting(
            SignallingExchange(
                request, of: plan, plan.login, seconds: Self.responseSeconds, on: place.watcher,
                newToken: { place.newToken(Socket.offer) }, at: now))
    }

    /// Whether packets are for the owner.
    var isPlaying: Bool { if case .playing = phase { true } else { false } }

    var shortestRoundTrip: Int64? { transport?.shortestRoundTrip }

    var nextDeadline: MonotonicTime {
        switch phase {
        case .requesting(let exchange), .leaving(let exchange, _): exchange.nextDeadline
        case .connecting: transport?.nextDeadline ?? .distantFuture
        case .playing: min(transport?.nextDeadline ?? .distantFuture, reception?.nextDeadline ?? .distantFuture)
        }
    }

    func requestKeyframes() {
        guard let transport else { return }
        for request in reception?.keyframeRequests() ?? [] { transport.send(request) }
    }

    private func fail(_ failure: PlaybackFailure, at now: MonotonicTime) {
        leave(.failed(failure.description), at: now)
    }

    /// Ends the resource at the server, if there is one, and then the session.
    private func leave(_ end: ClientSessionEnd, at now: MonotonicTime) {
        guard let resource else { return self.end = end }
        let place = self.place
        phase = .leaving(
            SignallingExchange(
                SignallingExchange.Request(method: "DELETE", target: resource), of: plan, login,
                seconds: Self.farewellSeconds, on: place.watcher, newToken: { place.newToken(Socket.farewell) },
                at: now),
            end)
    }

    func closeSockets() {
        isOver = true
        switch phase {
        case .requesting(let exchange), .leaving(let exchange, _): exchange.close()
        case .connecting, .playing: break
        }
        if let fd = socket?.fd { place.watcher.unwatch(fd) }
        socket = nil
    }
}

// MARK: - Events

extension PlaybackSession {
    func handle(
        _ readiness: Readiness, of socket: Int, _ buffers: inout ReceiveBuffers, _ owner: any SessionOwner,
        in sessions: Sessions, at now: MonotonicTime
    ) {
        guard end == nil else { return }
        switch (phase, socket) {
        case (_, Socket.media): receiveDatagrams(&buffers, owner, in: sessions, at: now)
        case (.requesting(let exchange), Socket.offer), (.leaving(let exchange, _), Socket.farewell):
            exchange.handle(readiness, &buffers, at: now)
        default: break
        }
    }

    func deadlinePassed(at now: MonotonicTime) {
        switch phase {
        case .requesting(let exchange), .leaving(let exchange, _): exchange.deadlinePassed(at: now)
        case .connecting: transport?.deadlinePassed(at: now)
        case .playing:
            transport?.deadlinePassed(at: now)
            guard let transport, reception?.nextDeadline ?? .distantFuture <= now else { return }
            for report in reception?.reportsDue(at: now) ?? [] { transport.send(report) }
        }
    }

    /// Closes the DTLS connection, and ends the resource at the server if there is one.
    func tearDown(at now: MonotonicTime) {
        guard end == nil else { return }
        switch phase {
        case .leaving: return
        case .requesting(let exchange): exchange.close()
        case .connecting, .playing: transport?.close()
        }
        leave(.closed(.finished), at: now)
    }

    func drain(_ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime) {
        if end == nil { proceed(sessions, owner, at: now) }
        flush()
        guard let end, !isOver else { return }
        isOver = true
        owner.session(number, reached: .ended(end), of: sessions, at: now)
    }

    private func proceed(_ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime) {
        switch phase {
        case .requesting(let exchange): proceed(exchange, sessions, owner, at: now)
        case .connecting, .playing: checkTransport(sessions, owner, at: now)
        case .leaving(let exchange, let end):
            exchange.settle()
            if exchange.isComplete { self.end = end }
        }
    }

    private func proceed(
        _ exchange: SignallingExchange, _ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime
    ) {
        exchange.settle()
        if exchange.isConnected, !hasConnected {
            hasConnected = true
            owner.session(number, reached: .connected, of: sessions, at: now)
        }
        if let failure = exchange.failure { return fail(failure, at: now) }
        guard let response = exchange.response else { return }
        exchange.close()
        login = exchange.login
        do throws(PlaybackFailure) {
            let agreement = try begin(response, at: now)
            phase = .connecting
            let tracks = agreement.tracks.map(\.track.description)
            owner.session(number, reached: .described(agreement.description, tracks: tracks), of: sessions, at: now)
            transport?.deadlinePassed(at: now)
        } catch {
            fail(error, at: now)
        }
    }

    /// Begins to connect to the server that has answered.
    private func begin(
        _ response: ReceivedResponse, at now: MonotonicTime
    ) throws(PlaybackFailure) -> PlaybackAgreement {
        if let failure = PlaybackFailure(refusedBy: response) { throw failure }
        resource = response.value(of: "Location").flatMap { plan.endpoint.target(of: $0) }
        let (answer, agreement): (ReceivedAnswer, PlaybackAgreement)
        do throws(AnswerError) {
            answer = try ReceivedAnswer(parsing: response.body)
            agreement = try PlaybackAgreement(answer, to: offer)
        } catch {
            throw .answer(error)
        }
        let family = try openSocket()
        candidates = ReachableCandidate.all(of: answer.candidates, for: family)
        guard !candidates.isEmpty else { throw .noCandidate }
        transport = PeerTransport(
            as: plan.identity, offer.credentials, to: .init(answer, candidateCount: candidates.count), at: now)
        self.agreement = agreement
        return agreement
    }

    private func openSocket() throws(PlaybackFailure) -> AddressFamily {
        do throws(SystemError) {
            let socket = try UDPSocket.onAllAddresses(port: 0, bufferByteCount: plan.datagramBufferByteCount)
            try socket.enableArrivalTimes()
            // Kernels before Linux 5.0 do not support GRO and deliver single packets.
            if plan.gsoBatchArrival == .whole { try? socket.setGRO(whole: true) }
            try place.watcher.watch(socket.fd, .read, as: place.newToken(Socket.media))
            let family = socket.family
            self.socket = consume socket
            return family
        } catch {
            throw .connection(.failed(error))
        }
    }

    /// Reports what has become of the transport.
    func checkTransport(_ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime) {
        guard let transport else { return }
        // The end is decided, whatever becomes of the connection.
        if case .leaving = phase { return }
        if case .connecting = phase, transport.keys != nil, let agreement {
            phase = .playing
            reception = SessionReception(
                agreement, from: SSRC(place.ssrc), plan, roundTrip: transport.shortestRoundTrip, at: now)
            let unknown: [UInt16?] = agreement.tracks.map { _ in nil }
            owner.session(number, reached: .playing(firstSequenceNumbers: unknown), of: sessions, at: now)
        }
        switch transport.phase {
        case .checking, .handshaking, .established: break
        // The server has ended its resource, too.
        case .ended: end = .failed(PlaybackFailure.endedByServer.description)
        case .failed(let failure):
            fail(PlaybackFailure(failure, of: candidates.map { "\($0.address)" }), at: now)
        }
    }
}

extension Sessions {
    /// Begins a session with a WHEP server. The owner is told of success and failure: it plays as soon as the DTLS handshake is complete.
    public func open(_ plan: PlaybackPlan, at now: MonotonicTime) -> SessionNumber {
        open { PlaybackSession($0, plan, at: now) }
    }
}

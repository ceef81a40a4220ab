import Connecting
import Media
import RTP
import RTSP
import Reactor

/// One session of RTSP: a `ClientConnection` with its connection to the server and the sockets of its tracks. Loop thread only.
final class ClientSession: PlayingSession {
    let number: SessionNumber
    private(set) var plan: SessionPlan
    let watcher: any SocketWatcher
    let ssrc: SSRC
    let ports: () -> ClosedRange<UInt16>
    private let newToken: (_ socket: Int) -> Token
    private(set) var link: ServerLink
    var machine: ClientConnection
    var tracks: [TrackBox] = []
    private(set) var end: ClientSessionEnd?
    private(set) var isOver = false
    /// Why the session ends, while the server is told of it.
    private var departure: ClientSessionEnd?
    /// Whether the exchange with the present server has begun: the connection is established, with TLS also encrypted.
    private var hasBegun = false
    private var redirectionCount = 0
    private var connectDeadline: MonotonicTime
    private var reportDue = MonotonicTime.distantFuture
    /// When the connection was last read: the arrival of the interleaved packets among these bytes.
    private(set) var readTime = MonotonicTime(nanoseconds: 0)

    /// The timeout for the connection.
    private static let connectMilliseconds: Int64 = 10_000
    /// The interval of receiver reports (RFC 3550, section 6.2: at least five seconds).
    private static let reportMilliseconds: Int64 = 5_000

    init(
        _ place: SessionPlace, _ plan: SessionPlan, ports: @escaping () -> ClosedRange<UInt16>, at now: MonotonicTime
    ) {
        number = place.number
        self.plan = plan
        watcher = place.watcher
        newToken = place.newToken
        ssrc = SSRC(place.ssrc)
        self.ports = ports
        (machine, link) = Self.connection(for: plan, on: place.watcher, place.newToken)
        connectDeadline = now.advanced(byMilliseconds: Self.connectMilliseconds)
    }

    private static func connection(
        for plan: SessionPlan, on watcher: any SocketWatcher, _ newToken: @escaping (_ socket: Int) -> Token
    ) -> (ClientConnection, ServerLink) {
        var configuration = ClientConnection.Configuration()
        configuration.userAgent = plan.userAgent
        let machine = ClientConnection(url: plan.url, configuration: configuration, login: plan.login)
        return (machine, ServerLink(plan.connection, on: watcher) { newToken(0) })
    }

    /// Watches a socket of a track: from 1, RTP and RTCP of each track. 0 is the connection.
    func watch(_ fd: Int32, _ interest: Interest, socket: Int) throws(SystemError) {
        try watcher.watch(fd, interest, as: newToken(socket))
    }

    /// The time at which to call `deadlinePassed`.
    var nextDeadline: MonotonicTime {
        hasBegun ? min(machine.nextDeadline, reportDue, nextRequest) : connectDeadline
    }

    var shortestRoundTrip: Int64? { machine.shortestRoundTrip }

    private var nextRequest: MonotonicTime { tracks.reduce(.distantFuture) { min($0, $1.reception.nextRequest) } }

    func fail(_ reason: ClientSessionEnd) {
        end = end ?? reason
    }

    func tearDown(at now: MonotonicTime) {
        if hasBegun { machine.tearDown(at: now) } else { fail(.closed(.finished)) }
    }

    /// Ends the session because of an answer that cannot be used. The server is told, so that it does not keep the session: some
    /// cameras have only one.
    func leave(because reason: ClientSessionEnd, at now: MonotonicTime) {
        departure = departure ?? reason
        machine.tearDown(at: now)
    }

    /// The state machine has closed the connection.
    func closed(_ reason: ClientCloseReason) {
        fail(departure ?? .closed(reason))
    }

    func deadlinePassed(at now: MonotonicTime) {
        guard hasBegun else { return now < connectDeadline ? () : fail(.connection(link.delay)) }
        machine.deadlinePassed(at: now)
        requestRetransmissions(at: now)
        if reportDue <= now {
            sendReports(at: now)
            beginReporting(at: now)
        }
    }

    func beginReporting(at now: MonotonicTime) {
        reportDue = now.advanced(byMilliseconds: Self.reportMilliseconds)
    }

    /// Closes all sockets. The owner gets no more events of the session.
    func closeSockets() {
        isOver = true
        for track in tracks { track.close(watcher) }
        link.close()
    }
}

extension ClientSession {
    func handle(
        _ readiness: Readiness, of socket: Int, _ buffers: inout ReceiveBuffers, _ owner: any SessionOwner,
        in sessions: Sessions, at now: MonotonicTime
    ) {
        guard end == nil else { return }
        guard socket == 0 else { return receiveDatagrams(socket: socket, &buffers, owner) }
        link.handle(readiness, &buffers, at: now) { bytes in
            beginIfOpen(owner, in: sessions, at: now)
            receive(bytes, owner, in: sessions, at: now)
        }
        beginIfOpen(owner, in: sessions, at: now)
        if link.hasEnded { machine.receivedEnd(at: now) }
    }

    /// Starts the RTSP session if the connection has just been established.
    private func beginIfOpen(_ owner: any SessionOwner, in sessions: Sessions, at now: MonotonicTime) {
        guard !hasBegun, link.isOpen else { return }
        hasBegun = true
        if redirectionCount == 0 { owner.session(number, reached: .connected, of: sessions, at: now) }
        machine.connected(at: now)
    }

    /// Passes bytes of the connection to the state machine. Interleaved frames among them are handled without a copy.
    private func receive(
        _ bytes: Span<UInt8>, _ owner: any SessionOwner, in sessions: Sessions, at now: MonotonicTime
    ) {
        readTime = .now()
        machine.received(bytes.bytes, at: now)
        drain(sessions, owner, at: now)
    }

    /// Executes the state machine's actions.
    func drain(_ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime) {
        while end == nil, let action = machine.nextAction() {
            perform(action, sessions, owner, at: now)
        }
        link.flush()
        if let failure = link.failure { fail(.connection(failure)) }
        guard let end, !isOver else { return }
        isOver = true
        owner.session(number, reached: .ended(end), of: sessions, at: now)
    }

    /// Continues at the URL to which the server has moved the stream, before any track is set up.
    func follow(_ url: RequestURL, at now: MonotonicTime) throws(ClientSessionEnd) {
        guard redirectionCount < plan.redirectionLimit else { throw .circle(url.text) }
        redirectionCount += 1
        let isFromElsewhere = link.server.map { !$0.isLocal } ?? true
        plan = try plan.redirected(to: url)
        plan.refusesLocalAddresses = plan.refusesLocalAddresses || isFromElsewhere
        link.close()
        (machine, link) = Self.connection(for: plan, on: watcher, newToken)
        hasBegun = false
        connectDeadline = now.advanced(byMilliseconds: Self.connectMilliseconds)
    }
}

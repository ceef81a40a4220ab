import Connecting
import Media
import RTP
import RTSP
import Reactor

/// The sessions of one owner on one loop. Loop thread only.
public final class Sessions {
    /// A socket of a session.
    private struct Place {
        let session: Int
        let socket: Int
    }

    private let watcher: any SocketWatcher
    private var sessions: [Int: any PlayingSession] = [:]
    private var places: [Token: Place] = [:]
    private var tokens: [Int: [Token]] = [:]
    private var deadlines = DeadlineQueue<Int>()
    private var nextNumber = 0
    /// A random start, so that two processes on one host do not try each other's ports one by one.
    private var nextPort = UInt16.random(in: Sessions.ports.lowerBound / 2..<Sessions.ports.upperBound / 2) * 2
    /// The sessions that may have actions or an end to report.
    private var touched: Set<Int> = []
    private var buffers = ReceiveBuffers()
    private var random = SystemRandomNumberGenerator()

    /// The ports below Linux's range for outgoing connections, which starts at 32 768.
    private static let ports: ClosedRange<UInt16> = 16_384...32_767

    init(on watcher: any SocketWatcher) {
        self.watcher = watcher
    }

    /// The number of sessions.
    public var count: Int { sessions.count }

    /// Begins to connect. The owner is told of success and failure.
    public func open(_ plan: SessionPlan, at now: MonotonicTime) -> SessionNumber {
        open { place in ClientSession(place, plan, ports: { [unowned self] in portRange() }, at: now) }
    }

    /// Begins a session of any protocol.
    public func open(_ begin: (SessionPlace) -> any PlayingSession) -> SessionNumber {
        let number = SessionNumber(index: nextNumber)
        nextNumber += 1
        sessions[number.index] = begin(
            SessionPlace(
                number: number, watcher: watcher, ssrc: random.next(),
                newToken: { [unowned self] socket in token(for: Place(session: number.index, socket: socket)) }))
        touched.insert(number.index)
        return number
    }

    /// Leaves the server, by RTSP with TEARDOWN. The owner is told of the end.
    public func tearDown(_ number: SessionNumber, at now: MonotonicTime) {
        sessions[number.index]?.tearDown(at: now)
        touched.insert(number.index)
    }

    /// Sends a keyframe request for each video track whose server takes such requests.
    public func requestKeyframe(_ number: SessionNumber) {
        sessions[number.index]?.requestKeyframes()
        touched.insert(number.index)
    }

    /// Closes the session's sockets without leaving the server. The owner gets no more events of the session.
    public func vanish(_ number: SessionNumber) {
        sessions.removeValue(forKey: number.index)?.closeSockets()
        for token in tokens.removeValue(forKey: number.index) ?? [] { places[token] = nil }
        deadlines.remove(number.index)
    }

    /// The shortest time from a request of the session to its response, in nanoseconds; `nil` before the first response.
    public func shortestRoundTrip(_ number: SessionNumber) -> Int64? {
        sessions[number.index]?.shortestRoundTrip
    }

    /// What has come of each track so far.
    func statistics(_ number: SessionNumber) -> [ReceptionStatistics] {
        client(number)?.tracks.map { $0.reception.statistics } ?? []
    }

    /// The round-trip time to the server, by the kernel's measurement of the connection, in nanoseconds; `nil` without one.
    func roundTrip(_ number: SessionNumber) -> Int64? {
        client(number)?.link.roundTrip
    }

    /// Limits reading of the connection from now on to the bytes that `allowReading` permits.
    public func limitReading(_ number: SessionNumber) {
        client(number)?.link.limitReading()
    }

    /// Permits a limited session to read `byteCount` more bytes, up to `limit` in total.
    public func allowReading(_ number: SessionNumber, byteCount: Int, atMost limit: Int) {
        client(number)?.link.allowReading(byteCount: byteCount, atMost: limit)
    }

    /// A session of RTSP.
    private func client(_ number: SessionNumber) -> ClientSession? { sessions[number.index] as? ClientSession }

    /// The ports to try for the next track. Each call starts one pair later, so that sessions do not all try the same ports.
    private func portRange() -> ClosedRange<UInt16> {
        let first = nextPort
        nextPort = nextPort >= Self.ports.upperBound - 3 ? Self.ports.lowerBound : nextPort + 2
        return first...Self.ports.upperBound
    }

    private func token(for place: Place) -> Token {
        let token = watcher.nextToken()
        places[token] = place
        tokens[place.session, default: []].append(token)
        return token
    }

    func handle(_ event: Event, for owner: any SessionOwner, at now: MonotonicTime) {
        guard let place = places[event.token], let session = sessions[place.session] else { return }
        session.handle(event.readiness, of: place.socket, &buffers, owner, in: self, at: now)
        touched.insert(place.session)
    }

    func passDeadlines(at now: MonotonicTime) {
        while let index = deadlines.popDue(at: now) {
            sessions[index]?.deadlinePassed(at: now)
            touched.insert(index)
        }
    }

    /// Leaves the servers of all sessions and closes their sockets, without waiting for answers.
    func endAll(for owner: any SessionOwner, at now: MonotonicTime) {
        for session in sessions.values {
            session.tearDown(at: now)
            session.drain(self, owner, at: now)
        }
        for index in Array(sessions.keys) { vanish(SessionNumber(index: index)) }
    }

    /// Executes the sessions' actions, reports to the owner, and returns the next deadline.
    func finishTurn(for owner: any SessionOwner, at now: MonotonicTime) -> MonotonicTime {
        // The owner may open and close sessions in its callbacks.
        while let index = touched.popFirst() {
            guard let session = sessions[index] else { continue }
            session.drain(self, owner, at: now)
            if session.isOver {
                vanish(SessionNumber(index: index))
            } else {
                deadlines.set(index, session.nextDeadline)
            }
        }
        return deadlines.next
    }
}

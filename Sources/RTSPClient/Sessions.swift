import Media
import RTSP
import Reactor

/// The sessions of one loop. Loop thread only.
public final class Sessions {
    private let loop: EventLoop
    private var sessions: [Int: ClientSession] = [:]
    private var deadlines = DeadlineQueue<Int>()
    private var nextNumber = 0
    /// Begins anywhere, so that two processes on one host do not try each other's ports one by one.
    private var nextPort = UInt16.random(in: Sessions.ports.lowerBound / 2..<Sessions.ports.upperBound / 2) * 2
    /// Sessions that ended, or got something to do, since the owner was told last.
    private var touched: Set<Int> = []
    private var buffers = ReceiveBuffers()
    private var random = SystemRandomNumberGenerator()

    /// Below the range from which Linux gives ports to outgoing connections (32 768).
    private static let ports: ClosedRange<UInt16> = 16_384...32_767

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// How many there are.
    public var count: Int { sessions.count }

    /// Begins to connect; whatever becomes of it, the owner hears of it.
    public func open(_ plan: SessionPlan, at now: MonotonicTime) -> SessionNumber {
        let number = SessionNumber(index: nextNumber)
        nextNumber += 1
        sessions[number.index] = ClientSession(
            number, plan, loop: loop, ssrc: random.next(), ports: { [unowned self] in self.portRange() }, at: now)
        touched.insert(number.index)
        return number
    }

    /// Sends TEARDOWN; the owner hears of the end.
    public func tearDown(_ number: SessionNumber, at now: MonotonicTime) {
        sessions[number.index]?.tearDown(at: now)
        touched.insert(number.index)
    }

    /// Closes all the session's sockets without a word to the server; the owner hears nothing more of it.
    public func vanish(_ number: SessionNumber) {
        sessions.removeValue(forKey: number.index)?.closeSockets()
        deadlines.remove(number.index)
    }

    /// The shortest time from one of the session's requests to its answer, in nanoseconds; `nil` before the first answer.
    public func shortestRoundTrip(_ number: SessionNumber) -> Int64? {
        sessions[number.index]?.machine.shortestRoundTrip
    }

    /// From now on reads the connection only as far as `allowReading` says.
    public func limitReading(_ number: SessionNumber) {
        sessions[number.index]?.limitReading()
    }

    /// Lets a session whose reading is limited read so many bytes more, at most a second's worth in hand.
    public func allowReading(_ number: SessionNumber, byteCount: Int, atMost limit: Int) {
        sessions[number.index]?.allowReading(byteCount: byteCount, atMost: limit)
    }

    /// Every pair of ports is tried in turn, so that thousands of sessions do not all begin at the first.
    private func portRange() -> ClosedRange<UInt16> {
        let first = nextPort
        nextPort = nextPort >= Self.ports.upperBound - 3 ? Self.ports.lowerBound : nextPort + 2
        return first...Self.ports.upperBound
    }

    func handle(_ events: Events, for owner: any SessionOwner, at now: MonotonicTime) {
        for event in events {
            let (index, socket) = ClientSession.place(of: event.token)
            guard let session = sessions[index] else { continue }
            session.handle(event.readiness, of: socket, &buffers, owner, in: self, at: now)
            touched.insert(index)
        }
        while let index = deadlines.popDue(at: now) {
            sessions[index]?.deadlinePassed(at: now)
            touched.insert(index)
        }
    }

    /// Does what the sessions want done, tells the owner, and answers when to call again.
    func finishTurn(for owner: any SessionOwner, at now: MonotonicTime) -> MonotonicTime {
        // Being told, the owner may open and close sessions.
        while let index = touched.popFirst() {
            guard let session = sessions[index] else { continue }
            session.drain(self, owner, at: now)
            if session.isOver {
                vanish(session.number)
            } else {
                deadlines.set(index, session.nextDeadline)
            }
        }
        return deadlines.next
    }
}

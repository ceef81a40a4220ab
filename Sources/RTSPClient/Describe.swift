import Media
import RTSP
import Reactor
import SDP
import Synchronization

/// Asks a server once for the description of a stream.
public enum Describe {
    /// The description at `url`; blocks the calling thread, at most until `deadline` once the host's name is looked up.
    ///
    /// - Parameter login: how it answers where the server asks who it is.
    public static func description(
        of url: RequestURL, login: ClientLogin? = nil, deadline: MonotonicTime
    ) throws(ClientSessionEnd) -> SessionDescription {
        var plan = try SessionPlan(url, transport: .tcp)
        plan.isDescribeOnly = true
        plan.login = login
        let answer = Answer()
        try ClientLoop.run(DescribeOnce(plan, deadline: deadline, answer: answer))
        return try answer.value.withLock { $0 }.get()
    }
}

/// Where the loop's thread leaves what it learned.
private final class Answer: Sendable {
    let value = Mutex<Result<SessionDescription, ClientSessionEnd>>(.failure(.closed(.noAnswer(.describe))))
}

/// Opens one session, and has enough when that ends.
private final class DescribeOnce: SessionOwner {
    private var plan: SessionPlan?
    private let deadline: MonotonicTime
    private let answer: Answer
    private var isDone = false

    init(_ plan: SessionPlan, deadline: MonotonicTime, answer: Answer) {
        self.plan = plan
        self.deadline = deadline
        self.answer = answer
    }

    func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
        if let plan = plan.take() { _ = sessions.open(plan, at: now) }
        return isDone || now >= deadline ? nil : deadline
    }

    func session(_ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime) {
        switch milestone {
        case .connected, .playing: break
        case .described(let description, _): answer.value.withLock { $0 = .success(description) }
        case .ended(let end):
            isDone = true
            if !end.isWanted { answer.value.withLock { $0 = .failure(end) } }
        }
    }

    func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {}

    func session(
        _ number: SessionNumber, track: Int, reported time: NTPTime, timestamp: UInt32, arrival: MonotonicTime
    ) {}
}

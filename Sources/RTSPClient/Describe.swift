import Media
import RTP
import RTSP
import Reactor
import SDP
import Synchronization
import TLS

/// Requests the description of a stream from a server.
public enum Describe {
    /// Returns the description at `url`. Blocks the calling thread, at most until `deadline`.
    ///
    /// - Parameters:
    ///   - login: the credentials for the server's challenges.
    ///   - certificates: those that are accepted if the URL needs TLS.
    public static func description(
        of url: RequestURL, login: ClientLogin? = nil, accepting certificates: TLSClient.Certificates = .verified,
        deadline: MonotonicTime
    ) throws(ClientSessionEnd) -> SessionDescription {
        var plan = SessionPlan(url, transport: .tcp)
        plan.isDescribeOnly = true
        plan.login = login
        if url.isSecure { try plan.accept(certificates) }
        let answer = Answer()
        try ClientLoop.run(DescribeOnce(plan, deadline: deadline, answer: answer))
        return try answer.value.withLock { $0 }.get()
    }
}

/// Carries the result from the loop's thread to the caller.
private final class Answer: Sendable {
    let value = Mutex<Result<SessionDescription, ClientSessionEnd>>(.failure(.closed(.noAnswer(.describe))))
}

/// Opens one session, and stops the loop when the session ends.
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
        _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime
    ) {}
}

import Delivery
import Media
import Reactor

/// Runs the sessions of one owner on a media loop, beside other services. What the owner publishes when it receives a packet is
/// sent to the loop's viewers in the same turn. Confined to the loop.
public final class ClientService: LoopService {
    private let sessions: Sessions
    private let owner: any SessionOwner
    /// Whether the owner still wants to run.
    private var isRunning = true

    public init(at place: LoopPlace, owner: any SessionOwner) {
        sessions = Sessions(on: place)
        self.owner = owner
    }

    public func socketIsReady(_ event: Event, at now: MonotonicTime) {
        sessions.handle(event, for: owner, at: now)
    }

    public func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {
        sessions.passDeadlines(at: now)
    }

    /// Lets the owner open and close sessions, and sends requests and reports.
    public func finishTurn(at now: MonotonicTime) -> MonotonicTime {
        guard isRunning else { return .distantFuture }
        let next = owner.turn(sessions, at: now)
        let deadline = sessions.finishTurn(for: owner, at: now)
        guard let next else {
            stop(at: now)
            return .distantFuture
        }
        return min(next, deadline)
    }

    public func stop(at now: MonotonicTime) {
        isRunning = false
        sessions.endAll(for: owner, at: now)
    }
}

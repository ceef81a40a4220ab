import Connecting
import Delivery
import Media
import RTP
import Reactor

/// The media loops that pull streams over RTSP. Their viewers get each unit in the turn in which it has come. Thread-safe.
public final class RTSPPullLoops: Sendable {
    /// Where pulls may connect to.
    public let destinations: PermittedDestinations
    private let loops = LoopTurns<RTSPPullOrder>()

    public init(_ destinations: PermittedDestinations = PermittedDestinations()) {
        self.destinations = destinations
    }

    /// Makes the service of one loop.
    public var service: MediaLoop.ServiceMaker {
        { [loops] place in ClientService(at: place, owner: PullOwner(loops.mailbox(at: place))) }
    }

    /// Begins a pull on one of the loops, by turns.
    public func start(_ pull: RTSPPull) {
        // A server has at least one loop.
        if let loop = loops.next() { pull.start(on: loop) }
    }
}

typealias RTSPPullOrder = PullOrder<RTSPPullPlan, RTSPPullEnd>

/// The pulls of one loop. Confined to the loop.
private final class PullOwner: SessionOwner {
    private let orders: Mailbox<RTSPPullOrder>
    private var receptions: [SessionNumber: PullReception] = [:]
    /// The sessions that have lost something since the last turn.
    private var wantingKeyframe: [SessionNumber] = []

    init(_ orders: Mailbox<RTSPPullOrder>) {
        self.orders = orders
    }

    func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
        for order in orders.take() { perform(order, sessions, at: now) }
        for number in wantingKeyframe { sessions.requestKeyframe(number) }
        wantingKeyframe.removeAll(keepingCapacity: true)
        if nextDeadline <= now { passDeadlines(sessions, at: now) }
        return nextDeadline
    }

    private var nextDeadline: MonotonicTime {
        receptions.values.reduce(.distantFuture) { min($0, $1.nextDeadline, $1.nextStatus) }
    }

    private func passDeadlines(_ sessions: Sessions, at now: MonotonicTime) {
        for number in receptions.keys.filter({ receptions[$0].map { $0.nextStatus <= now } ?? false }) {
            receptions[number]?.noteStatus(
                sessions.statistics(number), roundTrip: sessions.roundTrip(number), at: now)
        }
        for number in receptions.keys.filter({ receptions[$0].map { $0.nextDeadline <= now } ?? false }) {
            guard let reason = receptions[number]?.deadlinePassed(at: now) else { continue }
            end(number, reason)
            sessions.tearDown(number, at: now)
        }
    }

    private func perform(_ order: RTSPPullOrder, _ sessions: Sessions, at now: MonotonicTime) {
        switch order {
        case .start(let pull): receptions[sessions.open(pull.plan.session, at: now)] = PullReception(pull)
        case .stop(let pull):
            guard let number = number(of: pull) else { return }
            receptions[number] = nil
            sessions.tearDown(number, at: now)
        case .requestKeyframe(let pull):
            if let number = number(of: pull) { sessions.requestKeyframe(number) }
        }
    }

    private func number(of pull: RTSPPull) -> SessionNumber? {
        receptions.first { $0.value.pull === pull }?.key
    }

    private func end(_ number: SessionNumber, _ reason: RTSPPullEnd) {
        receptions.removeValue(forKey: number)?.pull.end(reason)
    }

    func session(_ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime) {
        switch milestone {
        case .connected: break
        case .playing: receptions[number]?.began(at: now)
        case .described(let description, _):
            guard let reason = receptions[number]?.described(description) else { return }
            end(number, reason)
        case .ended(let reason): end(number, .session(reason))
        }
    }

    func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {
        if receptions[number]?.received(packet) == true { wantingKeyframe.append(number) }
    }

    func session(_ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime) {
        receptions[number]?.received(report, track: track, arrival: arrival)
    }
}

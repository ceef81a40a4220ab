import Connecting
import Delivery
import Media
import Reactor

/// The media loops that pull streams over RTMP. Their viewers get each unit in the turn in which it has come. Thread-safe.
public final class RTMPPullLoops: Sendable {
    /// Where pulls may connect to.
    public let destinations: PermittedDestinations
    private let loops = LoopTurns<RTMPPullOrder>()

    public init(_ destinations: PermittedDestinations = PermittedDestinations()) {
        self.destinations = destinations
    }

    /// Makes the service of one loop.
    public var service: MediaLoop.ServiceMaker {
        { [loops] place in RTMPPullService(place, orders: loops.mailbox(at: place)) }
    }

    /// Begins a pull on one of the loops, by turns.
    public func start(_ pull: RTMPPull) {
        // A server has at least one loop.
        if let loop = loops.next() { pull.start(on: loop) }
    }
}

typealias RTMPPullOrder = PullOrder<RTMPSessionPlan, RTMPPullEnd>

/// The pulls of one loop. Confined to the loop.
private final class RTMPPullService: LoopService {
    private let place: LoopPlace
    private let orders: Mailbox<RTMPPullOrder>
    private var pulls: [Int: RTMPPullSession] = [:]
    private var nextNumber = 0
    /// The pulls by the sockets of their connections.
    private var sockets: [Token: Int] = [:]
    private var deadlines = DeadlineQueue<Int>()
    /// The pulls that may have something to do in this turn.
    private var touched: Set<Int> = []
    /// Made for the first pull, because they are large.
    private lazy var buffers = OutgoingBuffers()

    init(_ place: LoopPlace, orders: Mailbox<RTMPPullOrder>) {
        (self.place, self.orders) = (place, orders)
    }

    func socketIsReady(_ event: Event, at now: MonotonicTime) {
        // Events of one turn may still name a socket that was closed earlier in it.
        guard let number = sockets[event.token], let pull = pulls[number] else { return }
        pull.socketIsReady(event.readiness, &buffers.link, at: now)
        touched.insert(number)
    }

    func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {
        for order in orders.take() {
            switch order {
            case .start(let pull): begin(pull, at: now)
            case .stop(let pull):
                guard let number = pulls.first(where: { $0.value.pull === pull })?.key else { continue }
                pulls[number]?.stop(at: now)
                touched.insert(number)
            case .requestKeyframe: break  // RTMP has no such request.
            }
        }
        while let number = deadlines.popDue(at: now) {
            pulls[number]?.deadlinePassed(at: now)
            touched.insert(number)
        }
    }

    private func begin(_ pull: RTMPPull, at now: MonotonicTime) {
        let number = nextNumber
        nextNumber += 1
        let surroundings = OutgoingSurroundings(
            place: place,
            newToken: { [unowned self] _ in
                let token = place.nextToken()
                sockets[token] = number
                return token
            },
            forget: { [unowned self] token in sockets[token] = nil },
            touch: { [unowned self] in touched.insert(number) })
        pulls[number] = RTMPPullSession(pull, in: surroundings, at: now)
        touched.insert(number)
    }

    func finishTurn(at now: MonotonicTime) -> MonotonicTime {
        // A pull that settles may touch itself again.
        while let number = touched.popFirst() {
            guard let pull = pulls[number] else { continue }
            pull.settle(at: now)
            if pull.isOver {
                pull.close(at: now)
                pulls[number] = nil
                deadlines.remove(number)
            } else {
                deadlines.set(number, pull.nextDeadline)
            }
        }
        return deadlines.next
    }

    func stop(at now: MonotonicTime) {
        for pull in pulls.values {
            pull.stop(at: now)
            pull.settle(at: now)
            pull.close(at: now)
        }
        pulls = [:]
    }
}

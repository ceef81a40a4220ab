import Delivery
import Media
import Reactor

/// The forwards of one loop. Confined to the loop.
final class ForwardService: LoopService {
    /// A socket of a forward: the connection is number 0.
    private struct Socket {
        let forward: Int
        let number: Int
    }

    private let place: LoopPlace
    private let orders: Mailbox<ForwardOrder>
    private var forwards: [Int: ForwardRun] = [:]
    private var nextNumber = 0
    private var sockets: [Token: Socket] = [:]
    private var deadlines = DeadlineQueue<Int>()
    /// The forwards that may have something to do in this turn.
    private var touched: Set<Int> = []
    /// Made for the first forward, because they are large.
    private lazy var buffers = OutgoingBuffers()

    init(_ place: LoopPlace, orders: Mailbox<ForwardOrder>) {
        (self.place, self.orders) = (place, orders)
    }

    func socketIsReady(_ event: Event, at now: MonotonicTime) {
        // Events of one turn may still name a socket that was closed earlier in it.
        guard let socket = sockets[event.token], let run = forwards[socket.forward] else { return }
        run.socketIsReady(event.readiness, socket: socket.number, buffers, at: now)
        touched.insert(socket.forward)
    }

    func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {
        for order in orders.take() {
            switch order {
            case .start(let forward, let former): begin(forward, after: former, at: now)
            case .stop(let forward):
                guard let number = forwards.first(where: { $0.value.forward === forward })?.key else { continue }
                forwards[number]?.stop(at: now)
                touched.insert(number)
            }
        }
        while let number = deadlines.popDue(at: now) {
            forwards[number]?.deadlinePassed(at: now)
            touched.insert(number)
        }
        // UDP sockets are not watched for room. If a buffer was full, sending is retried soon.
        for run in forwards.values { run.retryBlockedSockets() }
    }

    private func begin(_ forward: Forward, after former: Forward?, at now: MonotonicTime) {
        let number = nextNumber
        nextNumber += 1
        let surroundings = OutgoingSurroundings(
            place: place,
            newToken: { [unowned self] socket in
                let token = place.nextToken()
                sockets[token] = Socket(forward: number, number: socket)
                return token
            },
            forget: { [unowned self] token in sockets[token] = nil },
            touch: { [unowned self] in touched.insert(number) })
        forwards[number] = ForwardRun(forward, after: former, in: surroundings)
        touched.insert(number)
    }

    func handle(_ event: DeliveryLoop.Event, at now: MonotonicTime) -> Bool {
        let (viewer, isStalled): (Viewer, Bool)
        switch event {
        case .stalled(let stalled): (viewer, isStalled) = (stalled, true)
        case .ended(let ended): (viewer, isStalled) = (ended, false)
        case .moved: return false
        }
        guard let (number, run) = forwards.first(where: { $0.value.sends(to: viewer) }) else { return false }
        run.deliveryEnded(isStalled: isStalled, at: now)
        touched.insert(number)
        return true
    }

    func answer(at now: MonotonicTime) -> MonotonicTime {
        forwards.values.reduce(.distantFuture) { min($0, $1.send(at: now)) }
    }

    func finishTurn(at now: MonotonicTime) -> MonotonicTime {
        // A forward that settles may touch itself again.
        while let number = touched.popFirst() {
            guard let run = forwards[number] else { continue }
            run.settle(at: now)
            if run.isOver {
                run.forward.note { $0.hasEnded = true }
                forwards[number] = nil
                deadlines.remove(number)
            } else {
                deadlines.set(number, run.nextDeadline)
            }
        }
        let isBlocked = forwards.values.contains(where: \.isBlocked)
        return isBlocked ? min(deadlines.next, now + UDPPorts.retryInterval) : deadlines.next
    }

    func stop(at now: MonotonicTime) {
        for run in forwards.values { run.shutDown(at: now) }
        forwards = [:]
    }
}

import Delivery
import Synchronization

/// The media loops that publish streams to other servers. Each unit is sent in the turn in which the loop's viewers get it.
/// Thread-safe.
public final class ForwardLoops: Sendable {
    private struct State {
        var mailboxes: [Mailbox<ForwardOrder>] = []
        /// Of the last forward's loop.
        var lastIndex = 0
    }

    /// Where forwards may connect to.
    public let destinations: PermittedDestinations
    private let state = Mutex(State())

    public init(_ destinations: PermittedDestinations = PermittedDestinations()) {
        self.destinations = destinations
    }

    /// Makes the service of one loop.
    public var service: MediaLoop.ServiceMaker {
        { [self] place in
            let mailbox: Mailbox<ForwardOrder> = place.makeMailbox()
            state.withLock { $0.mailboxes.append(mailbox) }
            return ForwardService(place, orders: mailbox)
        }
    }

    /// Begins a forward on one of the loops, by turns.
    ///
    /// - Parameter former: a forward to the same server that was stopped. The new one waits for its end, because a server takes one
    ///   publisher of a path.
    public func start(_ forward: Forward, after former: Forward? = nil) {
        let mailbox = state.withLock { state -> Mailbox<ForwardOrder>? in
            guard !state.mailboxes.isEmpty else { return nil }
            state.lastIndex = (state.lastIndex + 1) % state.mailboxes.count
            return state.mailboxes[state.lastIndex]
        }
        // A server has at least one loop.
        if let mailbox { forward.start(on: mailbox, after: former) }
    }
}

/// What a loop is to do.
enum ForwardOrder: Sendable {
    case start(Forward, after: Forward?)
    case stop(Forward)
}

import Delivery

/// The media loops that publish streams to other servers. Each unit is sent in the turn in which the loop's viewers get it.
/// Thread-safe.
public final class ForwardLoops: Sendable {
    /// Where forwards may connect to.
    public let destinations: PermittedDestinations
    private let loops = LoopTurns<ForwardOrder>()

    public init(_ destinations: PermittedDestinations = PermittedDestinations()) {
        self.destinations = destinations
    }

    /// Makes the service of one loop.
    public var service: MediaLoop.ServiceMaker {
        { [loops] place in ForwardService(place, orders: loops.mailbox(at: place)) }
    }

    /// Begins a forward on one of the loops, by turns.
    ///
    /// - Parameter former: a forward to the same server that was stopped. The new one waits for its end, because a server takes one
    ///   publisher of a path.
    public func start(_ forward: Forward, after former: Forward? = nil) {
        // A server has at least one loop.
        if let loop = loops.next() { forward.start(on: loop, after: former) }
    }
}

/// What a loop is to do.
enum ForwardOrder: Sendable {
    case start(Forward, after: Forward?)
    case stop(Forward)
}

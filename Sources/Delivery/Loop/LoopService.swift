import Media
import Reactor

/// A protocol that runs on a media loop, beside others: a server of RTSP connections, for example. Confined to its loop.
///
/// A turn of the loop calls each service in four steps, and sends media between the first and the second: input
/// (``socketIsReady(_:at:)``, ``received(_:from:on:at:)``, ``receiveInput(until:at:)``), answers (``answer(at:)``), deadlines
/// (``deadlinePassed(of:at:)``), output (``finishTurn(at:)``). The loop limits the time that a service gets for input and
/// deadlines; what is left comes in the next turn, after media was sent. A service must not block.
public protocol LoopService: AnyObject {
    /// A socket that the service watches by ``LoopPlace/watch(_:_:)`` is ready.
    func socketIsReady(_ event: Event, at now: MonotonicTime)

    /// Handles input that comes without a socket, or that earlier turns have left, for about the time until `end`.
    func receiveInput(until end: MonotonicTime, at now: MonotonicTime)

    /// A datagram has come to the loop's UDP ports. Its bytes are valid during the call.
    ///
    /// - Returns: whether the datagram is for this service. If not, the next service is asked.
    func received(_ datagram: RawSpan, from source: SocketAddress, on port: UDPPort, at now: MonotonicTime) -> Bool

    /// Delivery has given up a viewer.
    ///
    /// - Returns: whether the viewer belongs to this service. If not, the next service is asked.
    func handle(_ event: DeliveryLoop.Event, at now: MonotonicTime) -> Bool

    /// Gives the answers that have waited for something else than input, such as a source's first unit.
    ///
    /// - Returns: the latest time of the next turn.
    func answer(at now: MonotonicTime) -> MonotonicTime

    /// A deadline that the service has set by ``LoopPlace/setDeadline(of:to:)`` has passed.
    func deadlinePassed(of token: Token, at now: MonotonicTime)

    /// Sends what waits to be sent. Nothing of the service runs after this in the turn.
    ///
    /// - Returns: the latest time of the next turn: now if input is left.
    func finishTurn(at now: MonotonicTime) -> MonotonicTime

    /// Ends everything, because the loop ends: says goodbye to the peers and closes all sockets.
    func stop(at now: MonotonicTime)
}

extension LoopService {
    public func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {}
    public func received(_ datagram: RawSpan, from source: SocketAddress, on port: UDPPort, at now: MonotonicTime)
        -> Bool
    { false }
    public func handle(_ event: DeliveryLoop.Event, at now: MonotonicTime) -> Bool { false }
    public func answer(at now: MonotonicTime) -> MonotonicTime { .distantFuture }
    public func deadlinePassed(of token: Token, at now: MonotonicTime) {}
    public func finishTurn(at now: MonotonicTime) -> MonotonicTime { .distantFuture }
    public func stop(at now: MonotonicTime) {}
}

/// One of the two UDP ports of a pair, here or at a client, in the order of their numbers.
public enum UDPPort: Int, CaseIterable, Sendable {
    case rtp
    case rtcp
}

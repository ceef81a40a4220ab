import Connecting
import Delivery
import Media
import RTMP
import RTMPDelivery
import Reactor

/// One pull on its loop: a session with the server, and what comes of it. Confined to the loop.
final class RTMPPullSession {
    let pull: RTMPPull
    private let session: ServerSession
    /// `nil` before the server sends the stream.
    private var reception: MessageReception?
    private(set) var isOver = false
    /// When a session ends that was stopped, even if the server does not read the farewell.
    private var departureDeadline: MonotonicTime?

    /// How long the server may take to read the farewell.
    private static let departureMilliseconds: Int64 = 2_000

    init(_ pull: RTMPPull, in surroundings: OutgoingSurroundings, at now: MonotonicTime) {
        self.pull = pull
        session = ServerSession(pull.plan, in: surroundings, at: now)
    }

    /// The time at which to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime {
        min(session.nextDeadline, reception?.nextDeadline ?? .distantFuture, departureDeadline ?? .distantFuture)
    }

    func socketIsReady(_ readiness: Readiness, _ buffers: inout ReceiveBuffers, at now: MonotonicTime) {
        session.socketIsReady(readiness, &buffers, at: now) { [self] message in
            guard departureDeadline == nil, !isOver else { return }
            begin(at: now)
            if let end = reception?.received(message, at: now) { finish(.reception(end), at: now) }
            // What is left out is in the status (`leftOut`).
            _ = reception?.takeRemarks()
        }
        if session.hasStarted { begin(at: now) }
    }

    func deadlinePassed(at now: MonotonicTime) {
        if let departureDeadline, departureDeadline <= now { isOver = true }
        session.deadlinePassed(at: now)
        guard departureDeadline == nil,
            let end = reception?.deadlinePassed(at: now, roundTrip: session.roundTrip)
        else { return }
        finish(.reception(end), at: now)
    }

    private func begin(at now: MonotonicTime) {
        guard reception == nil, departureDeadline == nil else { return }
        reception = MessageReception(into: pull.input, silenceSeconds: StreamReception.silenceSeconds, at: now)
    }

    /// Ends it: the server is told, within a limited time.
    func stop(at now: MonotonicTime) {
        guard departureDeadline == nil, !isOver else { return }
        reception = nil
        departureDeadline = now.advanced(byMilliseconds: Self.departureMilliseconds)
        if session.canSend { session.stop(at: now) } else { isOver = true }
    }

    private func finish(_ end: RTMPPullEnd, at now: MonotonicTime) {
        pull.end(end)
        stop(at: now)
    }

    /// Sends what waits, and notices failures.
    func settle(at now: MonotonicTime) {
        session.settle(at: now)
        if let failure = session.failure {
            if departureDeadline == nil { pull.end(.session(failure)) }
            isOver = true
        } else if departureDeadline != nil, session.isDrained {
            isOver = true
        }
    }

    /// Closes the socket.
    func close(at now: MonotonicTime) { session.close(at: now) }
}

import Connecting
import Delivery
import Media
import RTMP
import RTMPDelivery
import Reactor

/// One session with an RTMP server, from the connection until the server or the owner ends it. Confined to the loop.
final class ServerSession {
    private let plan: RTMPSessionPlan
    private let surroundings: OutgoingSurroundings
    private var machine: RTMPClientSession
    private var connection: OutgoingConnection
    /// `nil` until the connection is established.
    private(set) var transport: MessageTransport?
    /// Whether the server has accepted what the client wants.
    private(set) var hasStarted = false
    /// Why it has ended: close it.
    private(set) var failure: SessionFailure?
    /// When the server must have accepted.
    private var deadline: MonotonicTime
    private var connectionCount = 1

    /// The timeout until the server accepts, for each connection.
    private static let startMilliseconds: Int64 = 10_000
    /// Bytes of answers that may wait to be sent: far more than a server that reads leaves.
    private static let pendingLimit = 256 << 10
    /// A server that asks for credentials needs three connections.
    private static let maximumConnectionCount = 3

    /// Begins to connect.
    init(_ plan: RTMPSessionPlan, in surroundings: OutgoingSurroundings, at now: MonotonicTime) {
        (self.plan, self.surroundings) = (plan, surroundings)
        machine = Self.machine(plan, plan.login)
        connection = OutgoingConnection(plan.connection, in: surroundings)
        deadline = now.advanced(byMilliseconds: Self.startMilliseconds)
    }

    private static func machine(_ plan: RTMPSessionPlan, _ login: ClientLogin?) -> RTMPClientSession {
        RTMPClientSession(
            plan.target, login: login, random: (0..<1_536).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// The time at which to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime {
        hasStarted ? .distantFuture : deadline
    }

    /// How media to publish is sent; `nil` unless the server has accepted the publisher.
    var framing: MediaFraming? { machine.framing }
    /// The codecs of Enhanced RTMP that the server says it takes.
    var codecs: EnhancedCodecs { machine.codecs }
    /// In nanoseconds; `nil` if the kernel has not measured it.
    var roundTrip: Int64? { connection.output?.roundTrip }

    /// The connection's socket is ready.
    ///
    /// - Parameter receive: called with each message of the stream that is played.
    func socketIsReady(
        _ readiness: Readiness, _ buffers: inout ReceiveBuffers, at now: MonotonicTime, receive: (Message) -> Void
    ) {
        guard failure == nil else { return }
        guard let output = connection.output else {
            connection.establish(readiness, &buffers, at: now)
            guard let output = connection.output else { return }
            transport = MessageTransport(output)
            return perform(at: now, receive)
        }
        if readiness.contains(.writable) {
            output.flush(at: now)
            transport?.flush(at: now)
        }
        guard !readiness.isDisjoint(with: [.readable, .hangup, .error]) else { return }
        let connection = connection
        let outcome = connection.read { machine.received($0) }
        perform(at: now, receive)
        // The server may have asked for another connection, and closed this one.
        guard connection === self.connection else { return }
        switch outcome {
        case .bytes, .wouldBlock: break
        case .end: fail(SessionFailure(.endedByServer))
        case .failed(let error): fail(SessionFailure(.failed(error)))
        }
    }

    func deadlinePassed(at now: MonotonicTime) {
        guard !hasStarted, deadline <= now else { return }
        fail(transport == nil ? SessionFailure(connection.delay) : SessionFailure("the server does not answer"))
    }

    /// Media was given to the transport.
    func sentMedia(byteCount: Int) { machine.sentMedia(byteCount: byteCount) }

    /// Tells the server that the client publishes or plays no longer.
    func stop(at now: MonotonicTime) {
        machine.stop()
        perform(at: now) { _ in }
    }

    /// Whether the server reads what it is sent, as far as is known.
    var canSend: Bool { connection.output.map { !$0.isBlocked && $0.failure == nil } ?? false }

    /// Limits the bytes that the kernel holds before it sends them. Without the limit, media waits there for a slow server.
    func limitUnsent(toBytes byteCount: Int32) {
        // If the kernel refuses, media of a slow server only comes later.
        try? connection.output?.socket.limitUnsent(toBytes: byteCount)
    }

    /// Whether everything has been sent, or nothing can be.
    var isDrained: Bool { transport?.isEmpty ?? true }

    /// Sends what waits, and notices failures.
    func settle(at now: MonotonicTime) {
        guard failure == nil else { return }
        transport?.flush(at: now)
        if let failure = connection.settle(at: now) { return fail(SessionFailure(failure)) }
        // Answers that wait behind a message of which the server has read a part.
        guard let transport, transport.pendingByteCount > Self.pendingLimit else { return }
        fail(SessionFailure(.unreadRequests))
    }

    /// Closes the socket.
    func close(at now: MonotonicTime) {
        connection.close(at: now)
        transport = nil
    }

    private func fail(_ failure: SessionFailure) {
        self.failure = self.failure ?? failure
        surroundings.touch()
    }

    private func perform(at now: MonotonicTime, _ receive: (Message) -> Void) {
        while failure == nil, let order = machine.next() {
            switch order {
            case .send(let bytes): transport?.append(bytes)
            case .started: hasStarted = true
            case .media(let message): receive(message)
            case .reconnect(let login): return reconnect(login, at: now)
            case .close(let reason): fail(SessionFailure(reason, hasLogin: plan.login != nil))
            }
        }
        surroundings.touch()
    }

    /// Connects again to answer a challenge.
    private func reconnect(_ login: ClientLogin, at now: MonotonicTime) {
        guard connectionCount < Self.maximumConnectionCount else {
            return fail(SessionFailure(.unauthorised, hasLogin: true))
        }
        connectionCount += 1
        close(at: now)
        machine = Self.machine(plan, login)
        connection = OutgoingConnection(plan.connection, in: surroundings)
        deadline = now.advanced(byMilliseconds: Self.startMilliseconds)
        surroundings.touch()
    }
}

extension SessionFailure {
    /// - Parameter hasLogin: whether a user and a password were given to the session.
    init(_ reason: ClientOrder.CloseReason, hasLogin: Bool) {
        switch reason {
        case .unauthorised: self.init(reason.description, hasLogin ? .wrongPassword : .passwordRequired)
        case .refused: self.init(reason.description, .refused)
        case .protocolError, .ended: self.init(reason.description)
        }
    }
}

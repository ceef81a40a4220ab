import Delivery
import Media
import RTMP
import RTSP
import Reactor
import Streams

/// The RTMP server on one media loop: connections, their publishers and players. Confined to the loop.
///
/// `RTMPService+Connections.swift` begins and ends connections, `+Decisions` decides what clients ask for, `+Roles` begins and ends what
/// they publish and play, and `+Control` has what the rest of the server asks.
final class RTMPService: LoopService {
    let place: LoopPlace
    let context: ServerContext
    let inbox: LoopInbox
    var connections: [Token: Connection] = [:]
    /// Connections that are over, each kept open for a moment so that the client can read the last status.
    var lingering: [Token: Connection] = [:]
    /// The audiences by their feeds.
    var audiences: [ObjectIdentifier: PlayerAudience] = [:]
    /// Players that wait for the first media.
    var waiting: [Token] = []
    /// Players that have joined in this turn.
    var unserved: [Token] = []
    var isStopping = false
    private var touched: [Connection] = []
    private let ports: PortWatch?
    private let reader: ConnectionReader
    /// What the handshakes of all connections contain: clients return it, and nothing depends on it.
    let handshakeBytes = (0..<3_072).map { _ in UInt8.random(in: .min ... .max) }

    /// The time between two looks at players that wait for media or do not keep up, in nanoseconds.
    private static let tick: Int64 = 20_000_000
    /// Connections taken over in one turn: a millisecond, mostly for TLS.
    private static let adoptionsPerTurn = 32

    /// - Parameter listeners: the ports that this loop watches for all loops.
    init(
        _ place: LoopPlace, _ context: ServerContext, _ inbox: LoopInbox, listeners: [PortListener]
    ) throws(SystemError) {
        (self.place, self.context, self.inbox) = (place, context, inbox)
        ports = listeners.isEmpty ? nil : try PortWatch(listeners, place, context)
        reader = ConnectionReader(maximumPendingByteCount: context.options.maximumPendingByteCount)
    }

    var log: ServiceLog { context.log }

    // MARK: Input

    func socketIsReady(_ event: Event, at now: MonotonicTime) {
        // Events of one turn may still name a connection that was closed earlier in it.
        guard let connection = connections[event.token] else {
            if ports?.socketIsReady(event.token, at: now) != true { discardInput(of: event.token) }
            return
        }
        touch(connection)
        if event.readiness.contains(.writable) {
            connection.output.flush(at: now)
            serve(connection, at: now)
            if case .playing(let player, let audience) = connection.role, player.isBehind {
                audience.isBehind = true
            }
        }
        guard !event.readiness.isDisjoint(with: [.readable, .hangup, .error]) else { return }
        guard connection.wantsBytes(maximumPendingByteCount: context.options.maximumPendingByteCount) else {
            // Both directions are closed, which the kernel would report in every turn.
            if !event.readiness.isDisjoint(with: [.hangup, .error]) {
                lose(connection, "the client has gone", at: now)
            }
            return
        }
        do throws(SystemError) {
            try reader.read(connection) { drain(connection, at: now) }
        } catch {
            lose(connection, "\(error)", at: now)
        }
    }

    func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {
        for accepted in inbox.accepted.take(upTo: Self.adoptionsPerTurn) { adopt(accepted, at: now) }
        for notice in inbox.notices.take() {
            guard let connection = connections[notice.connection], connection.stepNumber == notice.step else {
                continue
            }
            take(notice.content, for: connection, at: now)
            touch(connection)
        }
    }

    /// Performs what a connection's state machine orders.
    func drain(_ connection: Connection, at now: MonotonicTime) {
        touch(connection)
        while connection.closing == nil, let order = connection.session.next() {
            switch order {
            case .send(let bytes): connection.transport.append(bytes)
            case .connect(let request): decide(request, of: connection, at: now)
            case .publish(let address): decidePublishing(address, of: connection, at: now)
            case .play(let address): decidePlaying(address, of: connection, at: now)
            case .media(let message): received(message, from: connection, at: now)
            case .pause(let pause): perform(pause, of: connection, at: now)
            case .stopped: endRole(of: connection, .left, because: "the client has ended it", at: now)
            case .close(let reason): close(connection, because: reason, at: now)
            }
        }
    }

    // MARK: Answers, deadlines, output

    func answer(at now: MonotonicTime) -> MonotonicTime {
        startWaiting(at: now)
        var next = MonotonicTime.distantFuture
        for audience in audiences.values {
            let hasNew = audience.update(at: now)
            audience.observePaths(at: now)
            next = min(next, audience.nextDeadline)
            // Most turns are for other streams.
            guard hasNew || audience.isBehind else { continue }
            audience.isBehind = false
            for connection in audience.connections {
                guard let player = connection.player else { continue }
                if hasNew || player.isBehind { serve(connection, at: now) }
                if player.isBehind { audience.isBehind = true }
            }
            if audience.isBehind { next = min(next, now + Self.tick) }
        }
        for token in unserved {
            guard let connection = connections[token] else { continue }
            serve(connection, at: now)
            guard case .playing(let player, let audience) = connection.role, player.isBehind else {
                continue
            }
            audience.isBehind = true
            next = min(next, now + Self.tick)
        }
        unserved.removeAll(keepingCapacity: true)
        return waiting.isEmpty ? next : min(next, now + Self.tick)
    }

    func deadlinePassed(of token: Token, at now: MonotonicTime) {
        guard let connection = connections[token] else {
            if ports?.deadlinePassed(of: token) != true { endLingering(token) }
            return
        }
        connection.deadline = nil
        connection.output.tls?.deadlinePassed(at: now)
        passDeadline(of: connection, at: now)
        touch(connection)
    }

    func finishTurn(at now: MonotonicTime) -> MonotonicTime {
        while let connection = touched.popLast() {
            connection.isTouched = false
            if connections[connection.token] === connection { settle(connection, at: now) }
        }
        return inbox.accepted.isEmpty ? .distantFuture : now
    }

    func stop(at now: MonotonicTime) {
        isStopping = true
        ports?.stop()
        for connection in connections.values {
            end(connection, .publishFailed, .connectionClosed, because: "the server is stopping", at: now)
            _ = connection.transport.flush(at: now)
            release(connection, at: now)
        }
        for token in lingering.keys { endLingering(token) }
    }

    /// Settles a connection at the end of the turn.
    func touch(_ connection: Connection) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        touched.append(connection)
    }
}

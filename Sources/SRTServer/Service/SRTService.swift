import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams

/// The SRT server on the thread of SRT: connections, their publishers and viewers. Confined to the thread.
///
/// `SRTService+Beginning.swift` begins what clients do, `+Viewing` serves viewers, `+Ending` ends it, and `+Control` has what the rest
/// of the server asks.
final class SRTService: LoopMember, SocketOwner {
    /// As the counts of viewers name it.
    static let transportName = "SRT"

    let loop: LoopState
    let context: ServerContext
    let listener: SRTSocket
    let waker = SRTWaker()
    var connections: [SRTSocket: Connection] = [:]
    /// The audiences by their feeds.
    var audiences: [ObjectIdentifier: TransportAudience] = [:]
    private let reader = MessageReader()

    /// The time between two looks at feeds, waiting viewers and unfinished handshakes, in nanoseconds. Feeds wake nothing.
    static let tick: Int64 = 5_000_000

    init(_ listener: SRTSocket, _ context: ServerContext, on loop: LoopState) {
        (self.listener, self.context, self.loop) = (listener, context, loop)
    }

    var log: ServiceLog { context.log }

    // MARK: Input

    func socketIsReady(_ socket: SRTSocket, _ events: SocketSet.Events, at now: MonotonicTime) {
        guard let connection = connections[socket] else {
            if socket == listener { accept(at: now) }
            return
        }
        let isOpen = events.contains(.readable) ? read(connection, at: now) : true
        guard !isOpen || events.contains(.error), connections[socket] != nil else { return }
        end(connection, .connectionClosed, because: "the connection has ended", at: now)
    }

    /// - Returns: false if the connection is broken.
    private func read(_ connection: Connection, at now: MonotonicTime) -> Bool {
        guard let publisher = connection.publisher else { return reader.drain(connection.socket, at: now) }
        return reader.read(connection.socket, at: now) { message, number, due in
            let end = publisher.reception.received(message, number: number, due: due, at: now)
            guard let end else { return true }
            self.end(connection, .left, because: end.text, at: now)
            return false
        }
    }

    /// Accepts one connection. While there are others, the listener stays ready; to ask in vain would be an error in libsrt's log.
    private func accept(at now: MonotonicTime) {
        guard let (socket, _) = listener.accept() else { return }
        // A handshake may have been given up meanwhile.
        guard let handshake = context.gate.connected(socket) else { return socket.close() }
        let connection = Connection(socket, handshake, at: now)
        connections[socket] = connection
        begin(connection, at: now)
    }

    // MARK: Turns

    func turn(at now: MonotonicTime) -> MonotonicTime {
        var next = MonotonicTime.distantFuture
        if context.gate.hasUnfinished {
            context.gate.giveUpFailed(at: now)
            next = now + Self.tick
        }
        for notice in context.notices.take() {
            guard let connection = connections[notice.connection], connection.stepNumber == notice.step else {
                continue
            }
            take(notice.content, for: connection, at: now)
        }
        for connection in connections.values {
            switch connection.role {
            case .publishing(let publisher): next = min(next, passDeadline(of: publisher, connection, at: now))
            case .waiting(let waiting):
                start(connection, waiting, at: now)
                next = min(next, now + Self.tick)
            case .undecided, .creating, .viewing, .closed: break
            }
        }
        serveAudiences(at: now)
        return audiences.isEmpty ? next : min(next, now + Self.tick)
    }

    private func passDeadline(
        of publisher: Publisher, _ connection: Connection, at now: MonotonicTime
    ) -> MonotonicTime {
        if publisher.reception.nextDeadline <= now {
            let end = publisher.reception.deadlinePassed(at: now) { connection.socket.statistics?.roundTrip }
            for name in publisher.reception.takeLeftOut() {
                log.log(
                    .leftOut, .warning, "a part of what is published is not received", peer: connection.peer,
                    reason: "\(name) is not received", ["path": "\(publisher.path)"], at: now)
            }
            publisher.describe()
            if let end { self.end(connection, .left, because: end.text, at: now) }
        }
        return publisher.reception.nextDeadline
    }

    func stop(at now: MonotonicTime) {
        loop.close(listener)
        context.gate.stop()
        for connection in connections.values {
            end(connection, .connectionClosed, because: "the server is stopping", at: now)
        }
    }

    /// What the log says of a client that publishes or views.
    func metadata(of connection: Connection) -> Logger.Metadata {
        ["path": "\(connection.path)", "transport": "\(connection.transport)"]
    }
}

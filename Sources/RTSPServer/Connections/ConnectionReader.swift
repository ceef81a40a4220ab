import Delivery
import Media
import RTSP
import Reactor
import TLS

/// Reads from connections and passes the bytes to their state machines. Confined to the loop.
final class ConnectionReader {
    private let connections: Connections
    private let requests: RequestHandler
    private let maximumPendingReplyBytes: Int
    /// What is read, of one connection at a time.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: mediaBytes, alignment: 16)
    /// Connections with unprocessed messages, which take turns.
    private let backlogged = BackloggedConnections()

    init(_ connections: Connections, _ requests: RequestHandler, _ options: ServerOptions) {
        self.connections = connections
        self.requests = requests
        maximumPendingReplyBytes = options.maximumPendingReplyBytes
    }

    deinit {
        buffer.deallocate()
    }

    /// Whether received messages wait to be processed.
    var hasBacklog: Bool { !backlogged.isEmpty }

    /// The time for reading one connection in a turn, in nanoseconds.
    private static let readBudget: Int64 = 500_000
    /// The bytes of one read. Reads of requests are short, so that a flood from one client leaves the loop to the others; a publisher's
    /// read holds most of a frame.
    private static let (requestBytes, mediaBytes) = (2_048, 16_384)

    /// Passes received bytes to the connection's state machine.
    ///
    /// - Throws: if the socket has failed.
    func read(_ connection: Connection, at now: MonotonicTime) throws(SystemError) {
        let end = MonotonicTime.now() + Self.readBudget
        while connection.state.closing == nil, connections.contains(connection),
            connection.output.pendingByteCount < maximumPendingReplyBytes
        {
            let byteCount = connection.publisher == nil ? Self.requestBytes : Self.mediaBytes
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])
            let outcome = connection.output.socket.read(into: room)
            switch outcome {
            case .bytes(let count):
                received(UnsafeRawBufferPointer(rebasing: room[..<count]), on: connection, at: now)
                requests.drain(connection, at: now)
                continueProcessing(connection, until: end, at: now)
                // ffmpeg leaves Nagle's algorithm on: its kernel keeps the body of an ANNOUNCE, or the rest of a frame, until what was
                // sent before is acknowledged, which ours delays by 40 ms.
                if connection.machine.isInsideMessage || connection.publisher?.endsFrame == false {
                    connection.output.socket.acknowledgeNow()
                }
                // If the read was not full, the socket is empty. What has come since is reported again.
                guard count == byteCount else { return }
                guard connection.machine.wantsBytes, MonotonicTime.now() < end else { return }
            case .wouldBlock:
                return
            case .end:
                connection.state.hasPeerEnded = true
                connection.machine.receivedEnd(at: now)
                return requests.drain(connection, at: now)
            case .failed(let error):
                throw error
            }
        }
    }

    /// Passes received bytes to the state machine, decrypted if necessary.
    private func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection, at now: MonotonicTime) {
        guard let tls = connection.output.tls else { return connection.machine.received(bytes.bytes, at: now) }
        tls.received(bytes) { connection.machine.received($0.bytes, at: now) }
        if tls.phase == .established { connections.handshakeEnded(of: connection) }
        if tls.phase == .ended { connection.machine.receivedEnd(at: now) }
    }

    /// Processes further messages of one connection, step by step.
    private func continueProcessing(_ connection: Connection, until end: MonotonicTime, at now: MonotonicTime) {
        while connection.canContinue(maximumPendingReplyBytes: maximumPendingReplyBytes), MonotonicTime.now() < end {
            connection.machine.continueProcessing(at: now)
            requests.drain(connection, at: now)
        }
    }

    /// Continues the connections with unprocessed messages until `end`, one step each in turn.
    func continueBacklog(until end: MonotonicTime, at now: MonotonicTime) {
        while let connection = backlogged.takeFirst() {
            guard connections.contains(connection) else { continue }
            connection.machine.continueProcessing(at: now)
            requests.drain(connection, at: now)
            listIfBacklogged(connection)
            guard MonotonicTime.now() < end else { return }
        }
    }

    /// Makes a connection take turns if it has unprocessed messages.
    func listIfBacklogged(_ connection: Connection) {
        guard connection.canContinue(maximumPendingReplyBytes: maximumPendingReplyBytes) else { return }
        backlogged.add(connection)
    }
}

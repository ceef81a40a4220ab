import CLinux
import Reactor

/// Sends each unit by one write per connection, as the server does over TCP.
final class ConnectionSender: UnitSender {
    private let connections: [Connection]
    private let memory: UnitMemory
    private let packetByteCount: Int

    private final class Connection {
        let socket: TCPSocket

        init(_ socket: consuming TCPSocket) {
            self.socket = socket
        }
    }

    /// Opens connections with the server's socket options; `ends` are the viewers' ends.
    static func connect(_ plan: LimitPlan) throws(SystemError) -> (sender: ConnectionSender, ends: [any Receiver]) {
        let listener = try Listener(at: .loopback(.ipv4, port: 0))
        guard let address = listener.localAddress else { throw SystemError(call: "getsockname", code: EINVAL) }
        var connections: [Connection] = []
        var ends: [any Receiver] = []
        for _ in 0..<plan.viewers {
            let end = try TCPSocket(connectingTo: address)
            connections.append(Connection(try accept(from: listener)))
            ends.append(ConnectionReceiver(end))
        }
        return (ConnectionSender(plan, connections), ends)
    }

    private init(_ plan: LimitPlan, _ connections: [Connection]) {
        self.connections = connections
        memory = UnitMemory(plan, prefix: .interleaved, viewerCount: min(256, plan.viewers))
        packetByteCount = RTPPrefix.interleaved.rawValue + plan.payloadByteCount
    }

    func send(packets: Int) -> SentCount {
        var sent = SentCount()
        for (viewer, connection) in connections.enumerated() {
            let unit = UnsafeBufferPointer(memory.packets(0..<packets, ofViewer: viewer))
            var taken = 0
            if case .wrote(let count) = connection.socket.write(unit) { taken = count }
            sent.systemCalls += 1
            sent.bytes += UInt64(taken)
            // The receivers do not parse the bytes, so a partial write needs no completion.
            sent.refusedBytes += UInt64(packets * packetByteCount - taken)
        }
        return sent
    }

    /// Accepts the connection that was just attempted; over loopback it is ready at once.
    private static func accept(from listener: borrowing Listener) throws(SystemError) -> TCPSocket {
        var events = pollfd(fd: listener.fd, events: Int16(POLLIN), revents: 0)
        guard poll(&events, 1, 1_000) == 1, let connection = try listener.accept() else {
            throw SystemError(call: "accept", code: ETIMEDOUT)
        }
        let socket = connection.takeSocket()
        try socket.sendWithoutDelay()
        try socket.limitUnsent(toBytes: 16_384)
        // As in the server; a kernel without cubic uses its default.
        try? socket.setCongestionControl("cubic")
        return socket
    }
}

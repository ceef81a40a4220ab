import Reactor

/// A viewer's end of a route.
protocol Receiver: AnyObject, Sendable {
    var fd: Int32 { get }
    /// Lets go of what waits there.
    func discard(_ room: inout DiscardedDatagrams, into count: inout ReceivedCount)
}

/// A viewer's socket over UDP.
final class DatagramReceiver: Receiver {
    private let socket: UDPSocket
    let address: SocketAddress

    init() throws(SystemError) {
        let socket = try UDPSocket(at: .loopback(.ipv4, port: 0))
        address = socket.localAddress ?? .loopback(.ipv4, port: 0)
        self.socket = socket
    }

    var fd: Int32 { socket.fd }

    /// Has trains come in one piece, or cut on arrival.
    func receiveTrains(whole isWhole: Bool) throws(SystemError) {
        try socket.receiveTrains(whole: isWhole)
    }

    func discard(_ room: inout DiscardedDatagrams, into count: inout ReceivedCount) {
        if case .bytes = room.receive(from: socket) { count.bytes += UInt64(room.byteCount) }
    }
}

/// A viewer's end of a connection.
final class ConnectionReceiver: Receiver {
    private let socket: TCPSocket

    init(_ socket: consuming TCPSocket) {
        self.socket = socket
    }

    var fd: Int32 { socket.fd }

    func discard(_ room: inout DiscardedDatagrams, into count: inout ReceivedCount) {
        if case .bytes(let byteCount) = socket.discard(4 << 20) { count.bytes += UInt64(byteCount) }
    }
}

/// What receivers received, and what it cost them.
struct ReceivedCount: Equatable, Sendable {
    var bytes: UInt64 = 0
    var processorNanoseconds: Int64 = 0

    static func - (later: Self, earlier: Self) -> Self {
        Self(
            bytes: later.bytes - earlier.bytes,
            processorNanoseconds: later.processorNanoseconds - earlier.processorNanoseconds)
    }
}

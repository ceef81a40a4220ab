import Reactor

/// A viewer's end of a route.
protocol Receiver: AnyObject, Sendable {
    var fd: Int32 { get }
    /// Reads what waits there, and counts it.
    func read(into room: inout DrainBuffers, _ count: inout ReceivedCount)
}

/// What receivers read into, as any client does: bytes that the other processor has read cost the sender more to write over
/// than bytes that nobody looked at.
struct DrainBuffers: ~Copyable {
    var datagrams = ReceivedDatagrams(capacity: 16, datagramByteCount: ReceivedDatagrams.maximumGROByteCount)
    var bytes = [UInt8](repeating: 0, count: 65_536)
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
    func setGRO(whole isWhole: Bool) throws(SystemError) {
        try socket.setGRO(whole: isWhole)
    }

    func read(into room: inout DrainBuffers, _ count: inout ReceivedCount) {
        if case .bytes = room.datagrams.receive(from: socket) { count.bytes += UInt64(room.datagrams.byteCount) }
    }
}

/// A viewer's end of a connection.
final class ConnectionReceiver: Receiver {
    private let socket: TCPSocket

    init(_ socket: consuming TCPSocket) {
        self.socket = socket
    }

    var fd: Int32 { socket.fd }

    func read(into room: inout DrainBuffers, _ count: inout ReceivedCount) {
        let outcome = room.bytes.withUnsafeMutableBytes { socket.read(into: $0) }
        if case .bytes(let byteCount) = outcome { count.bytes += UInt64(byteCount) }
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

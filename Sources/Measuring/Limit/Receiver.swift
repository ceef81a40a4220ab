import Reactor

/// A viewer's socket.
protocol Receiver: AnyObject, Sendable {
    var fd: Int32 { get }
    /// Reads the bytes that are available, and counts them.
    func read(into buffers: inout DrainBuffers, _ count: inout ReceivedCount)
}

/// The buffers that receivers read into.
///
/// The bytes are copied, as by any client: memory that another processor has read costs the sender more to overwrite.
struct DrainBuffers: ~Copyable {
    var datagrams = ReceivedDatagrams(capacity: 16, datagramByteCount: ReceivedDatagrams.maximumGROByteCount)
    var bytes = [UInt8](repeating: 0, count: 65_536)
}

/// A viewer's UDP socket.
final class DatagramReceiver: Receiver {
    private let socket: UDPSocket
    let address: SocketAddress

    init() throws(SystemError) {
        let socket = try UDPSocket(at: .loopback(.ipv4, port: 0))
        address = socket.localAddress ?? .loopback(.ipv4, port: 0)
        self.socket = socket
    }

    var fd: Int32 { socket.fd }

    /// Turns GRO on or off: GSO batches arrive whole, or segmented.
    func enableGRO(_ isEnabled: Bool) throws(SystemError) {
        try socket.setGRO(whole: isEnabled)
    }

    func read(into buffers: inout DrainBuffers, _ count: inout ReceivedCount) {
        if case .bytes = buffers.datagrams.receive(from: socket) { count.bytes += UInt64(buffers.datagrams.byteCount) }
    }
}

/// A viewer's TCP socket.
final class ConnectionReceiver: Receiver {
    private let socket: TCPSocket

    init(_ socket: consuming TCPSocket) {
        self.socket = socket
    }

    var fd: Int32 { socket.fd }

    func read(into buffers: inout DrainBuffers, _ count: inout ReceivedCount) {
        let outcome = buffers.bytes.withUnsafeMutableBytes { socket.read(into: $0) }
        if case .bytes(let byteCount) = outcome { count.bytes += UInt64(byteCount) }
    }
}

/// The bytes that receivers received, and their processor time.
struct ReceivedCount: Equatable, Sendable {
    var bytes: UInt64 = 0
    var processorNanoseconds: Int64 = 0

    static func - (later: Self, earlier: Self) -> Self {
        Self(
            bytes: later.bytes - earlier.bytes,
            processorNanoseconds: later.processorNanoseconds - earlier.processorNanoseconds)
    }
}

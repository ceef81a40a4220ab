import Media
import Reactor
import Synchronization

/// Passes datagrams between one caller and a server, on a thread of its own. Each direction can be slowed down: what would wait for more
/// than a second is dropped.
final class SlowRelay: Sendable {
    /// For the caller.
    let address: SocketAddress
    private let front: UDPSocket
    private let back: UDPSocket
    private let server: SocketAddress
    private let bitsPerSecond = Atomic<Int64>(.max)
    private let isStopped = Atomic(false)

    private struct Queue {
        private var waiting: [(bytes: [UInt8], due: MonotonicTime)] = []
        private var free = MonotonicTime(nanoseconds: 0)

        private static let longestNanoseconds: Int64 = 1_000_000_000

        mutating func append(_ bytes: [UInt8], bitsPerSecond: Int64, at now: MonotonicTime) {
            let start = max(free, now)
            guard start - now < Self.longestNanoseconds else { return }
            free = start + Int64(Double(bytes.count) * 8e9 / Double(bitsPerSecond))
            waiting.append((bytes, free))
        }

        mutating func next(at now: MonotonicTime) -> [UInt8]? {
            guard let first = waiting.first, first.due <= now else { return nil }
            return waiting.removeFirst().bytes
        }
    }

    init(to server: SocketAddress) throws {
        self.server = server
        front = try UDPSocket(at: .loopback(.ipv4, port: 0))
        back = try UDPSocket(at: .loopback(.ipv4, port: 0))
        // Both are bound.
        address = .loopback(.ipv4, port: front.localAddress!.port)
        try startDetachedThread(name: "relay") { [self] in run() }
    }

    func pass(bitsPerSecond: Int64) { self.bitsPerSecond.store(bitsPerSecond, ordering: .relaxed) }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func run() {
        var datagrams = ReceivedDatagrams()
        var caller: SocketAddress?
        var (forth, back) = (Queue(), Queue())
        while !isStopped.load(ordering: .relaxed) {
            // The wait ends at once if the caller sends something. What comes from the server is late by a millisecond at most.
            _ = front.waitToReceive(milliseconds: 1)
            receive(from: front, &datagrams, into: &forth) { caller = $0 }
            receive(from: self.back, &datagrams, into: &back) { _ in }
            let now = MonotonicTime.now()
            while let bytes = forth.next(at: now) { _ = bytes.withUnsafeBytes { self.back.send($0, to: server) } }
            while let bytes = back.next(at: now) {
                if let caller { _ = bytes.withUnsafeBytes { front.send($0, to: caller) } }
            }
        }
    }

    private func receive(
        from socket: borrowing UDPSocket, _ datagrams: inout ReceivedDatagrams, into queue: inout Queue,
        sender: (SocketAddress) -> Void
    ) {
        let rate = bitsPerSecond.load(ordering: .relaxed)
        while case .bytes = datagrams.receive(from: socket) {
            datagrams.forEachDatagram { datagram in
                sender(datagram.source)
                queue.append([UInt8](datagram.bytes), bitsPerSecond: rate, at: .now())
            }
        }
    }
}

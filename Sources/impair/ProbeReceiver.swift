import Glibc
import Impairment
import Media
import Reactor

/// Receives a numbered series of UDP packets.
struct ProbeReceiver: ~Copyable {
    /// What arrived of a series.
    struct Series {
        var sentCount: Int
        var intervalNanoseconds: Int64
        var arrivals: [ProbeArrival] = []
    }

    private let socket: UDPSocket
    private var datagrams = ReceivedDatagrams(capacity: 256)

    /// The wait for the first packet, and the wait for the rest after the last packet was due to be sent.
    private static let (patience, grace): (Int64, Int64) = (10_000_000_000, 700_000_000)

    init(port: UInt16) throws(SystemError) {
        socket = try UDPSocket(at: .any(.ipv4, port: port))
        // Without the limit of net.core.rmem_max (SO_RCVBUFFORCE), so that a busy processor costs no packet.
        var byteCount: Int32 = 16 << 20
        setsockopt(socket.fd, SOL_SOCKET, SO_RCVBUFFORCE, &byteCount, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Receives until the series must have ended; returns `nil` if nothing arrived.
    mutating func receiveSeries() -> Series? {
        var series: Series?
        var end = MonotonicTime.now() + Self.patience
        while waitUntilReadable(until: end) {
            _ = datagrams.receive(from: socket)
            let now = MonotonicTime.now()
            datagrams.forEachDatagram { datagram in
                guard let probe = ProbePacket(datagram.bytes) else { return }
                series =
                    series
                    ?? Series(
                        sentCount: Int(probe.seriesCount), intervalNanoseconds: probe.intervalNanoseconds)
                series?.arrivals.append(
                    ProbeArrival(
                        number: Int(probe.number), sentAt: probe.sentAt, arrivedAt: now.nanoseconds,
                        byteCount: datagram.bytes.count + ProbePacket.headerByteCount))
                let rest = Int64(probe.seriesCount - probe.number) * probe.intervalNanoseconds
                end = MonotonicTime(nanoseconds: probe.sentAt + rest + Self.grace)
            }
        }
        return series
    }

    /// Returns `false` if `end` passes first.
    private func waitUntilReadable(until end: MonotonicTime) -> Bool {
        var descriptor = pollfd(fd: socket.fd, events: Int16(POLLIN), revents: 0)
        let milliseconds = (end - MonotonicTime.now()) / 1_000_000
        return milliseconds > 0 && poll(&descriptor, 1, Int32(clamping: milliseconds)) > 0
    }
}

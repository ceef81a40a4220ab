import Impairment
import Media
import Reactor

/// One direction of the relay: a link, and the packets that pass it.
struct RelayDirection {
    private var link: Link<[UInt8]>
    private var punctuality = Punctuality()
    private var refused: UInt64 = 0
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// The packets that are read before due packets are delivered: about 1 ms of work.
    private static let turnCapacity = 64

    init(_ link: Link<[UInt8]>) {
        self.link = link
    }

    /// When the next packet is due, in nanoseconds since the start.
    var nextDue: Int64? { link.nextDue }

    /// Whether a packet has come.
    var isUsed: Bool { link.statistics.packets > 0 }

    var report: DirectionReport {
        DirectionReport(link: link.statistics, punctuality: punctuality, refusedByKernel: refused)
    }

    /// Reads waiting packets from `device` into the link.
    mutating func receive(from device: borrowing TUNDevice, since start: MonotonicTime) {
        for _ in 0..<Self.turnCapacity {
            guard let packet = device.read(into: &buffer) else { return }
            guard isUnicast(packet) else { continue }
            link.receive([UInt8](packet), byteCount: packet.count, at: MonotonicTime.now() - start)
        }
    }

    /// Writes the packets that are due to `device`.
    mutating func deliver(to device: borrowing TUNDevice, since start: MonotonicTime) {
        let now = MonotonicTime.now() - start
        while let (packet, due) = link.release(at: now) {
            punctuality.count(lateNanoseconds: now - due)
            if !device.write(packet) { refused += 1 }
        }
    }
}

/// Whether an IP packet is for one receiver. The kernel of the relay's namespace sends multicasts of its own into the device
/// (RFC 4861, RFC 3810), which must not count as packets of the client or the server.
private func isUnicast(_ packet: ArraySlice<UInt8>) -> Bool {
    guard packet.count >= 20 else { return false }
    switch packet[0] >> 4 {
    case 4: return packet[16] < 224
    case 6: return packet.count >= 40 && packet[24] != 0xFF
    default: return false
    }
}

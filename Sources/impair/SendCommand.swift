import ArgumentParser
import Media
import Reactor

struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send a numbered series of UDP packets at a constant rate.")

    @Option(help: "The receiver's address.", transform: { try address($0) })
    var to: SocketAddress

    @Option(help: "The number of packets.")
    var packets: UInt32

    @Option(help: "Bytes of each IP packet, 52 to 1500.")
    var bytes = 200

    @Option(help: "Packets per second.")
    var perSecond: Int64

    func validate() throws {
        guard (ProbePacket.byteCount + ProbePacket.headerByteCount...1_500).contains(bytes) else {
            throw ValidationError("--bytes takes 52 to 1500, not \(bytes)")
        }
        guard (1...1_000_000).contains(perSecond) else {
            throw ValidationError("--per-second takes 1 to 1000000, not \(perSecond)")
        }
    }

    func run() throws {
        let socket = try UDPSocket(at: .any(to.family, port: 0))
        let interval = 1_000_000_000 / perSecond
        var payload = [UInt8](repeating: 0, count: bytes - ProbePacket.headerByteCount)
        let start = MonotonicTime.now()
        for number in 0..<packets {
            let due = start + Int64(number) * interval
            if MonotonicTime.now() < due { due.wait() }
            let failure = payload.withUnsafeMutableBytes { bytes in
                ProbePacket(
                    number: number, seriesCount: packets, intervalNanoseconds: interval,
                    sentAt: MonotonicTime.now().nanoseconds
                ).write(to: bytes)
                return socket.send(UnsafeRawBufferPointer(bytes), to: to)
            }
            if let failure { throw failure }
        }
    }
}

/// Reads `10.77.1.1:9000`.
private func address(_ text: String) throws -> SocketAddress {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let port = UInt16(parts[1]), let address = SocketAddress(String(parts[0]), port: port)
    else {
        throw ValidationError("\(text) is not an IPv4 address with a port, such as 10.77.1.1:9000")
    }
    return address
}

import CLinux
import Glibc
import Reactor

/// Sends each packet to each viewer by its own `sendmsg`, as servers without GSO do.
final class DatagramSender: UnitSender {
    private let routes: DatagramRoutes
    private let memory: UnitMemory
    private let packetByteCount: Int

    init(_ plan: LimitPlan, _ routes: DatagramRoutes) {
        self.routes = routes
        memory = UnitMemory(plan, prefix: .datagram, viewerCount: min(256, plan.viewers))
        packetByteCount = plan.packetByteCount
    }

    func send(packets: Int) -> SentCount {
        var sent = SentCount()
        for viewer in 0..<routes.count {
            for packet in 0..<packets {
                var message = routes.message(
                    memory.packets(packet..<packet + 1, ofViewer: viewer), toViewer: viewer, isGSOBatch: false)
                let status = sendmsg(routes.socket.fd, &message, clinux_dont_wait | clinux_no_signal)
                sent.systemCalls += 1
                if status < 0 { sent.refusedBytes += UInt64(packetByteCount) } else { sent.bytes += UInt64(status) }
            }
        }
        return sent
    }
}

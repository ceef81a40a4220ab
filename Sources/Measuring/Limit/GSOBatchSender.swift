import CLinux
import Reactor

/// Sends GSO batches (UDP_SEGMENT), those of many viewers in one `sendmmsg`, as the server does over UDP.
final class GSOBatchSender: UnitSender {
    private let routes: DatagramRoutes
    private let memory: UnitMemory
    private let plan: LimitPlan
    private let messages: UnsafeMutablePointer<mmsghdr>

    /// Messages and packets per call, as in `Delivery`.
    private static let messageCapacity = 256
    private static let packetCapacity = 4_096

    init(_ plan: LimitPlan, _ routes: DatagramRoutes) {
        self.plan = plan
        self.routes = routes
        let gsoBatches = (plan.mostPackets + plan.packetsPerGSOBatch - 1) / plan.packetsPerGSOBatch
        let viewers = min(Self.messageCapacity / gsoBatches, Self.packetCapacity / plan.mostPackets, plan.viewers)
        memory = UnitMemory(plan, prefix: .datagram, viewerCount: viewers)
        messages = .allocate(capacity: Self.messageCapacity)
        messages.initialize(repeating: mmsghdr(), count: Self.messageCapacity)
    }

    deinit {
        messages.deallocate()
    }

    func send(packets: Int) -> SentCount {
        var sent = SentCount()
        for first in stride(from: 0, to: routes.count, by: memory.viewerCount) {
            let viewers = first..<min(first + memory.viewerCount, routes.count)
            var count = 0
            for viewer in viewers { add(packets: packets, toViewer: viewer, at: &count) }
            flush(count, &sent)
        }
        return sent
    }

    /// Adds one message for each GSO batch of the unit.
    private func add(packets: Int, toViewer viewer: Int, at end: inout Int) {
        for first in stride(from: 0, to: packets, by: plan.packetsPerGSOBatch) {
            let gsoBatch = first..<min(first + plan.packetsPerGSOBatch, packets)
            messages[end].msg_hdr = routes.message(
                memory.packets(gsoBatch, ofViewer: viewer), toViewer: viewer, isGSOBatch: gsoBatch.count > 1)
            end += 1
        }
    }

    private func flush(_ count: Int, _ sent: inout SentCount) {
        var first = 0
        while first < count {
            let batch = routes.socket.send(UnsafeMutableBufferPointer(start: messages + first, count: count - first))
            sent.systemCalls += 1
            for index in first..<first + batch.count { sent.bytes += UInt64(messages[index].msg_len) }
            first += batch.count
            guard batch.error != nil else { continue }
            sent.refusedBytes += UInt64(messages[first].msg_hdr.msg_iovlen / 2 * plan.packetByteCount)
            first += 1
        }
    }
}

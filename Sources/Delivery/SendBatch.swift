import CLinux
import Media
import RTP
import Reactor
import SRTP

/// Datagrams of many viewers, gathered for one `sendmmsg`: trains of equal-size packets, cut by the kernel (UDP_SEGMENT).
///
/// All memory is made once; adding a packet writes its header and two vectors and allocates, locks and retains nothing.
/// Payloads are pointed at, so the runs must live until the flush; those of SRTP are encrypted into memory of the batch, which is
/// made when the first is. Confined to its loop.
final class SendBatch {
    /// Where a viewer goes back to when the kernel did not take its message.
    private struct Ticket {
        let viewer: Unmanaged<Viewer>
        let route: Unmanaged<UDPRoute>
        var position: Viewer.Position
        let isAwaitingKeyframe: Bool
        let track: TrackID
        var packetCount: Int
        var octetCount: Int
        /// What each packet has behind its payload.
        let addedByteCount: Int
        /// Whether its last packet is its unit's last.
        let endsUnit: Bool
        /// Whether its packets leave one by one, because the route refused the train.
        var isSplit = false
    }

    /// What leaves in one call.
    struct Capacity {
        /// Messages: the kernel takes at most 1 024 (UIO_MAXIOV).
        let messages: Int
        let packets: Int
        /// The longest trains whose encrypted payloads there is memory for.
        let sealedBatches: Int

        /// For all viewers of a loop. What is encrypted still lies in a processor's cache when the kernel reads it.
        static let shared = Capacity(messages: 256, packets: 4_096, sealedBatches: 8)
        /// For the viewers of one host: a tenth of the memory.
        static let separate = Capacity(messages: 16, packets: 256, sealedBatches: 2)

        var sealedByteCount: Int { sealedBatches * GSOBatch.maximumByteCount }
    }

    private let capacity: Capacity
    private let messages: UnsafeMutablePointer<mmsghdr>
    private let tickets: UnsafeMutablePointer<Ticket>
    private let vectors: UnsafeMutablePointer<iovec>
    private let prefixes: UnsafeMutableRawPointer
    private let controls: UnsafeMutableRawPointer
    private var sealed: UnsafeMutableRawPointer?
    private var sealedByteCount = 0
    private var packetCount = 0
    private var prefixByteCount = 0
    /// Messages before this one have left.
    private var first = 0
    private var end = 0

    init(capacity: Capacity = .shared) {
        self.capacity = capacity
        messages = .allocate(capacity: capacity.messages)
        messages.initialize(repeating: mmsghdr(), count: capacity.messages)
        tickets = .allocate(capacity: capacity.messages)
        vectors = .allocate(capacity: 2 * capacity.packets)
        vectors.initialize(repeating: iovec(), count: 2 * capacity.packets)
        prefixes = .allocate(byteCount: capacity.packets * HeaderRewriter.Headers.maximumByteCount, alignment: 16)
        controls = .allocate(byteCount: capacity.messages * ControlMessages.byteCount, alignment: 16)
    }

    deinit {
        messages.deallocate()
        tickets.deallocate()
        vectors.deallocate()
        prefixes.deallocate()
        controls.deallocate()
        sealed?.deallocate()
    }

    /// Messages that have not left yet.
    var messageCount: Int { end - first }

    /// Those messages, for the kernel: one that is cut goes alone, lest the next overtake what is left of it.
    var pending: UnsafeMutableBufferPointer<mmsghdr> {
        UnsafeMutableBufferPointer(start: messages + first, count: isFirstSplit ? 1 : messageCount)
    }

    /// Whether the first of them is a train.
    var isFirstGSOBatch: Bool { messageCount > 0 && tickets[first].packetCount > 1 && !isFirstSplit }

    private var isFirstSplit: Bool { messageCount > 0 && tickets[first].isSplit }

    /// Whether a message of `count` packets still fits.
    func hasRoom(forPackets count: Int) -> Bool {
        end < capacity.messages && packetCount + count <= capacity.packets
            && sealedByteCount <= capacity.sealedByteCount - GSOBatch.maximumByteCount
    }

    /// Adds the packets `range` of `run`, all of one train, as one message, for which there is room.
    ///
    /// - Parameter ticks: the RTP timestamp before the viewer's offset.
    /// - Returns: payload octets added.
    func append(
        _ range: Range<Int>, of run: PacketRun, ticks: UInt32, to route: UDPRoute,
        track: ViewerTrack, viewer: Viewer, position: Viewer.Position
    ) -> Int {
        let firstVector = 2 * packetCount
        let headers = track.rewriter.headers(of: run, ticks: ticks)
        let firstPayload = Int(run.packets[range.lowerBound].byteCount)
        var (octets, added) = (0, 0)
        if let protection = track.protection?.outgoing {
            added = protection.overhead
            octets = addSealed(range, of: run, headers, by: protection, from: track.packetIndex)
        } else {
            octets = add(range, of: run, headers)
        }
        let segment = range.count > 1 ? headers.byteCount + firstPayload + added : nil
        fillMessage(
            route: route, firstVector: firstVector, vectorCount: 2 * range.count,
            segmentByteCount: segment.map { UInt16(truncatingIfNeeded: $0) })
        tickets[end] = Ticket(
            viewer: .passUnretained(viewer), route: .passUnretained(route), position: position,
            isAwaitingKeyframe: viewer.isAwaitingKeyframe, track: run.track, packetCount: range.count,
            octetCount: octets, addedByteCount: added, endsUnit: range.upperBound == run.packets.count)
        end += 1
        return octets
    }

    /// The first `count` pending messages have left, or never will; of one that is cut, its first packet.
    func removeFirst(_ count: Int) {
        if count > 0, isFirstSplit, tickets[first].packetCount > 1 { return goToNextPacketOfFirst() }
        first += count
        if first == end { removeAll() }
    }

    /// Has the packets of the first pending message, a train that was refused, leave one by one; its route gets no more trains.
    func splitFirst() {
        let route = tickets[first].route.takeUnretainedValue()
        route.refusedGSO()
        tickets[first].isSplit = true
        messages[first].msg_hdr.msg_iovlen = 2
        writeControl(ofMessage: first, route: route, segmentByteCount: nil)
    }

    private func goToNextPacketOfFirst() {
        tickets[first].packetCount -= 1
        tickets[first].octetCount -= messages[first].msg_hdr.msg_iov[1].iov_len - tickets[first].addedByteCount
        tickets[first].position.packet += 1
        messages[first].msg_hdr.msg_iov += 2
    }

    /// Puts the viewers of all pending messages back to where they were, the newest first, and the counts with them.
    func rollBack(_ statistics: inout DeliveryStatistics) {
        for index in stride(from: end - 1, through: first, by: -1) {
            let ticket = tickets[index]
            ticket.viewer.takeUnretainedValue().goBack(
                to: ticket.position, isAwaitingKeyframe: ticket.isAwaitingKeyframe, track: ticket.track,
                packets: ticket.packetCount, octets: ticket.octetCount)
            statistics.takeBack(packets: ticket.packetCount, octets: ticket.octetCount, endsUnit: ticket.endsUnit)
        }
        removeAll()
    }

    private func removeAll() {
        first = 0
        end = 0
        packetCount = 0
        prefixByteCount = 0
        sealedByteCount = 0
    }

    /// Adds packets as they are; answers their payload octets.
    private func add(_ range: Range<Int>, of run: PacketRun, _ headers: HeaderRewriter.Headers) -> Int {
        var octets = 0
        for index in range {
            let packet = run.packets[index]
            addHeader(of: packet, index - range.lowerBound, headers)
            vectors[2 * packetCount + 1] = iovec(readingFrom: run.payload(of: packet))
            packetCount += 1
            octets += Int(packet.byteCount)
        }
        return octets
    }

    /// Adds packets that are encrypted, the first as number `first`; answers their payload octets.
    ///
    /// What the kernel does not take is encrypted again, under the same number: it has not left.
    private func addSealed(
        _ range: Range<Int>, of run: PacketRun, _ headers: HeaderRewriter.Headers, by protection: OutgoingProtection,
        from first: UInt64
    ) -> Int {
        let memory = sealed ?? .allocate(byteCount: capacity.sealedByteCount, alignment: 16)
        sealed = memory
        var octets = 0
        for index in range {
            let packet = run.packets[index]
            let header = addHeader(of: packet, index - range.lowerBound, headers)
            let place = memory + sealedByteCount
            protection.seal(
                run.payload(of: packet), header: header, index: first &+ UInt64(index - range.lowerBound), to: place)
            let byteCount = Int(packet.byteCount) + protection.overhead
            vectors[2 * packetCount + 1] = iovec(iov_base: place, iov_len: byteCount)
            sealedByteCount += byteCount
            packetCount += 1
            octets += Int(packet.byteCount)
        }
        return octets
    }

    @discardableResult
    private func addHeader(
        of packet: PacketRun.Packet, _ number: Int, _ headers: HeaderRewriter.Headers
    ) -> UnsafeRawBufferPointer {
        let prefix = prefixes + prefixByteCount
        headers.write(ofPacket: number, isMarked: packet.isMarked, to: prefix)
        prefixByteCount += headers.byteCount
        vectors[2 * packetCount] = iovec(iov_base: prefix, iov_len: headers.byteCount)
        return UnsafeRawBufferPointer(start: prefix, count: headers.byteCount)
    }

    private func fillMessage(route: UDPRoute, firstVector: Int, vectorCount: Int, segmentByteCount: UInt16?) {
        messages[end].msg_hdr.msg_name = UnsafeMutableRawPointer(route.address)
        messages[end].msg_hdr.msg_namelen = route.addressLength
        messages[end].msg_hdr.msg_iov = vectors + firstVector
        messages[end].msg_hdr.msg_iovlen = vectorCount
        writeControl(ofMessage: end, route: route, segmentByteCount: segmentByteCount)
    }

    private func writeControl(ofMessage index: Int, route: UDPRoute, segmentByteCount: UInt16?) {
        let control = UnsafeMutableRawBufferPointer(
            start: controls + index * ControlMessages.byteCount, count: ControlMessages.byteCount)
        let used = ControlMessages.write(
            segmentByteCount: segmentByteCount, source: route.source, for: route.ports.family, into: control)
        messages[index].msg_hdr.msg_control = used > 0 ? control.baseAddress : nil
        messages[index].msg_hdr.msg_controllen = used
    }
}

extension iovec {
    /// A vector that the kernel only reads from; C has no way to say so.
    init(readingFrom bytes: UnsafeRawBufferPointer) {
        self.init(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}

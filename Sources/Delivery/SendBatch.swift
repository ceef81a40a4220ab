import CLinux
import Media
import RTP
import Reactor

/// Datagrams of many viewers, gathered for one `sendmmsg`: trains of equal-size packets, cut by the kernel (UDP_SEGMENT).
///
/// All memory is made once; adding a packet writes its header and two vectors and allocates, locks and retains nothing.
/// Payloads are pointed at, so the runs must live until the flush. Confined to its loop.
final class SendBatch {
    /// Where a viewer goes back to when the kernel did not take its message.
    private struct Ticket {
        let viewer: Unmanaged<Viewer>
        let route: Unmanaged<UDPRoute>
        var position: Viewer.Position
        let isAwaitingRandomAccess: Bool
        let track: TrackID
        var packetCount: Int
        var octetCount: Int
        /// Whether its last packet is its unit's last.
        let endsUnit: Bool
        /// Whether its packets leave one by one, because the route refused the train.
        var isCut = false
    }

    /// Messages in one call: the kernel takes at most 1 024 (UIO_MAXIOV).
    private static let messageCapacity = 256
    /// Packets in one call.
    private static let packetCapacity = 4_096

    private let messages: UnsafeMutablePointer<mmsghdr>
    private let tickets: UnsafeMutablePointer<Ticket>
    private let vectors: UnsafeMutablePointer<iovec>
    private let prefixes: UnsafeMutableRawPointer
    private let controls: UnsafeMutableRawPointer
    private var packetCount = 0
    private var prefixByteCount = 0
    /// Messages before this one have left.
    private var first = 0
    private var end = 0

    init() {
        messages = .allocate(capacity: Self.messageCapacity)
        messages.initialize(repeating: mmsghdr(), count: Self.messageCapacity)
        tickets = .allocate(capacity: Self.messageCapacity)
        vectors = .allocate(capacity: 2 * Self.packetCapacity)
        vectors.initialize(repeating: iovec(), count: 2 * Self.packetCapacity)
        prefixes = .allocate(byteCount: Self.packetCapacity * HeaderRewriter.Headers.longestByteCount, alignment: 16)
        controls = .allocate(byteCount: Self.messageCapacity * ControlMessages.byteCount, alignment: 16)
    }

    deinit {
        messages.deallocate()
        tickets.deallocate()
        vectors.deallocate()
        prefixes.deallocate()
        controls.deallocate()
    }

    /// Messages that have not left yet.
    var messageCount: Int { end - first }

    /// Those messages, for the kernel: one that is cut goes alone, lest the next overtake what is left of it.
    var pending: UnsafeMutableBufferPointer<mmsghdr> {
        UnsafeMutableBufferPointer(start: messages + first, count: isFirstCut ? 1 : messageCount)
    }

    /// Whether the first of them is a train.
    var isFirstTrain: Bool { messageCount > 0 && tickets[first].packetCount > 1 && !isFirstCut }

    private var isFirstCut: Bool { messageCount > 0 && tickets[first].isCut }

    /// Whether a message of `count` packets still fits.
    func hasRoom(forPackets count: Int) -> Bool {
        end < Self.messageCapacity && packetCount + count <= Self.packetCapacity
    }

    /// Adds the packets `range` of `run`, all of one train, as one message, for which there is room.
    ///
    /// - Parameter ticks: the RTP timestamp before the viewer's offset.
    /// - Returns: payload octets added.
    func append(
        _ range: Range<Int>, of run: PacketRun, ticks: UInt32, to route: UDPRoute,
        rewriter: HeaderRewriter, viewer: Viewer, position: Viewer.Position
    ) -> Int {
        let firstVector = 2 * packetCount
        let headers = rewriter.headers(of: run, ticks: ticks)
        var octets = 0
        for index in range {
            let packet = run.packets[index]
            add(packet, index - range.lowerBound, of: run, headers)
            octets += Int(packet.byteCount)
        }
        let segment = range.count > 1 ? headers.byteCount + Int(run.packets[range.lowerBound].byteCount) : nil
        fillMessage(
            route: route, firstVector: firstVector, vectorCount: 2 * range.count,
            segmentByteCount: segment.map { UInt16(truncatingIfNeeded: $0) })
        tickets[end] = Ticket(
            viewer: .passUnretained(viewer), route: .passUnretained(route), position: position,
            isAwaitingRandomAccess: viewer.isAwaitingRandomAccess, track: run.track, packetCount: range.count,
            octetCount: octets, endsUnit: range.upperBound == run.packets.count)
        end += 1
        return octets
    }

    /// The first `count` pending messages have left, or never will; of one that is cut, its first packet.
    func removeFirst(_ count: Int) {
        if count > 0, isFirstCut, tickets[first].packetCount > 1 { return goToNextPacketOfFirst() }
        first += count
        if first == end { removeAll() }
    }

    /// Has the packets of the first pending message, a train that was refused, leave one by one; its route gets no more trains.
    func cutFirst() {
        let route = tickets[first].route.takeUnretainedValue()
        route.refusedTrain()
        tickets[first].isCut = true
        messages[first].msg_hdr.msg_iovlen = 2
        writeControl(ofMessage: first, route: route, segmentByteCount: nil)
    }

    private func goToNextPacketOfFirst() {
        tickets[first].packetCount -= 1
        tickets[first].octetCount -= messages[first].msg_hdr.msg_iov[1].iov_len
        tickets[first].position.packet += 1
        messages[first].msg_hdr.msg_iov += 2
    }

    /// Puts the viewers of all pending messages back to where they were, the newest first, and the counts with them.
    func rollBack(_ statistics: inout DeliveryStatistics) {
        for index in stride(from: end - 1, through: first, by: -1) {
            let ticket = tickets[index]
            ticket.viewer.takeUnretainedValue().goBack(
                to: ticket.position, isAwaitingRandomAccess: ticket.isAwaitingRandomAccess, track: ticket.track,
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
    }

    private func add(
        _ packet: PacketRun.Packet, _ number: Int, of run: PacketRun, _ headers: HeaderRewriter.Headers
    ) {
        let prefix = prefixes + prefixByteCount
        headers.write(ofPacket: number, isMarked: packet.isMarked, to: prefix)
        prefixByteCount += headers.byteCount
        vectors[2 * packetCount] = iovec(iov_base: prefix, iov_len: headers.byteCount)
        vectors[2 * packetCount + 1] = iovec(readingFrom: run.payload(of: packet))
        packetCount += 1
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

import CLinux
import Media
import RTP
import Reactor

/// Datagrams of many viewers, gathered for one `sendmmsg`: trains of equal-size packets, cut by the kernel (UDP_SEGMENT).
///
/// All memory is made once; adding a packet writes its 12 bytes of header and two vectors and allocates, locks and retains
/// nothing. Payloads are pointed at, so the runs must live until the flush. Confined to its loop.
final class SendBatch {
    /// Where a viewer goes back to when the kernel did not take its message.
    private struct Ticket {
        let viewer: Unmanaged<Viewer>
        let position: Viewer.Position
        let track: TrackID
        let packetCount: Int
        let octetCount: Int
    }

    /// Messages in one call: the kernel takes at most 1 024 (UIO_MAXIOV).
    private static let messageCapacity = 256
    /// Packets in one call.
    private static let packetCapacity = 4_096
    static let prefixByteCount = 12

    private let messages: UnsafeMutablePointer<mmsghdr>
    private let tickets: UnsafeMutablePointer<Ticket>
    private let vectors: UnsafeMutablePointer<iovec>
    private let prefixes: UnsafeMutableRawPointer
    private let controls: UnsafeMutableRawPointer
    private var packetCount = 0
    /// Messages before this one have left.
    private var first = 0
    private var end = 0

    init() {
        messages = .allocate(capacity: Self.messageCapacity)
        messages.initialize(repeating: mmsghdr(), count: Self.messageCapacity)
        tickets = .allocate(capacity: Self.messageCapacity)
        vectors = .allocate(capacity: 2 * Self.packetCapacity)
        vectors.initialize(repeating: iovec(), count: 2 * Self.packetCapacity)
        prefixes = .allocate(byteCount: Self.packetCapacity * Self.prefixByteCount, alignment: 16)
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

    /// Those messages, for the kernel.
    var pending: UnsafeMutableBufferPointer<mmsghdr> {
        UnsafeMutableBufferPointer(start: messages + first, count: messageCount)
    }

    /// Whether any of them is a train.
    var hasTrains: Bool { (first..<end).contains { tickets[$0].packetCount > 1 } }

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
        var octets = 0
        for index in range {
            let packet = run.packets[index]
            add(packet, index - range.lowerBound, of: run, ticks: ticks, rewriter: rewriter)
            octets += Int(packet.byteCount)
        }
        let segment = range.count > 1 ? Self.prefixByteCount + Int(run.packets[range.lowerBound].byteCount) : nil
        fillMessage(
            route: route, firstVector: firstVector, vectorCount: 2 * range.count,
            segmentByteCount: segment.map { UInt16(truncatingIfNeeded: $0) })
        tickets[end] = Ticket(
            viewer: Unmanaged.passUnretained(viewer), position: position, track: run.track,
            packetCount: range.count, octetCount: octets)
        end += 1
        return octets
    }

    /// The first `count` pending messages have left, or never will.
    func removeFirst(_ count: Int) {
        first += count
        if first == end { removeAll() }
    }

    /// Puts the viewers of all pending messages back to where they were, the newest first.
    func rollBack() {
        for index in stride(from: end - 1, through: first, by: -1) {
            let ticket = tickets[index]
            ticket.viewer.takeUnretainedValue().goBack(
                to: ticket.position, track: ticket.track, packets: ticket.packetCount, octets: ticket.octetCount)
        }
        removeAll()
    }

    private func removeAll() {
        first = 0
        end = 0
        packetCount = 0
    }

    private func add(
        _ packet: PacketRun.Packet, _ number: Int, of run: PacketRun, ticks: UInt32, rewriter: HeaderRewriter
    ) {
        let prefix = prefixes + packetCount * Self.prefixByteCount
        rewriter.writeHeader(ofPacket: number, ticks: ticks, isMarked: packet.isMarked, to: prefix)
        vectors[2 * packetCount] = iovec(iov_base: prefix, iov_len: Self.prefixByteCount)
        vectors[2 * packetCount + 1] = iovec(readingFrom: run.payload(of: packet))
        packetCount += 1
    }

    private func fillMessage(route: UDPRoute, firstVector: Int, vectorCount: Int, segmentByteCount: UInt16?) {
        let control = UnsafeMutableRawBufferPointer(
            start: controls + end * ControlMessages.byteCount, count: ControlMessages.byteCount)
        let used = ControlMessages.write(
            segmentByteCount: segmentByteCount, source: route.source, for: route.ports.family, into: control)
        messages[end].msg_hdr.msg_name = UnsafeMutableRawPointer(route.address)
        messages[end].msg_hdr.msg_namelen = route.addressLength
        messages[end].msg_hdr.msg_iov = vectors + firstVector
        messages[end].msg_hdr.msg_iovlen = vectorCount
        messages[end].msg_hdr.msg_control = used > 0 ? control.baseAddress : nil
        messages[end].msg_hdr.msg_controllen = used
    }
}

extension iovec {
    /// A vector that the kernel only reads from; C has no way to say so.
    init(readingFrom bytes: UnsafeRawBufferPointer) {
        self.init(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}

import CLinux
import Media
import RTP
import Reactor
import SRTP
import Streams

/// Datagrams of many viewers, gathered for one `sendmmsg`. Each message is a GSO batch: packets of equal size that the kernel
/// splits (UDP_SEGMENT).
///
/// Memory is allocated once. Adding a packet writes its header and two vectors; it does not allocate, lock or retain. The batch
/// points at payloads, so the runs must live until the flush. SRTP payloads are encrypted into memory of the batch; only
/// this memory is allocated later, with the first SRTP payload. Confined to its loop.
final class SendBatch {
    /// The sender of a message, and its state before the message.
    struct Origin {
        /// Chosen by the owner of the batch, which gets it back.
        let owner: UnsafeMutableRawPointer
        var checkpoint: Follower<PacketRun>.Checkpoint
    }

    /// A message that the kernel did not take. Its origin must return to the state before it.
    struct UnsentMessage {
        /// `nil` for a retransmission, which is not tried again.
        let origin: Origin?
        let track: TrackID
        let packetCount: Int
        let octetCount: Int
        /// Whether its last packet is its unit's last.
        let endsUnit: Bool
    }

    /// The state that a message's origin returns to if the kernel does not take it.
    private struct RollbackPoint {
        var origin: Origin?
        let route: Unmanaged<UDPRoute>
        let track: TrackID
        var packetCount: Int
        var octetCount: Int
        /// The bytes that SRTP adds behind the payload of each packet.
        let addedByteCount: Int
        /// Whether its last packet is its unit's last.
        let endsUnit: Bool
        /// Whether its packets are sent one by one, because the route refused the GSO batch.
        var isSplit = false
    }

    /// The capacity of a batch.
    struct Capacity {
        /// Messages in one `sendmmsg`, of which the kernel accepts at most 1 024 (UIO_MAXIOV).
        let messages: Int
        let packets: Int
        /// GSO batches of maximum length for which encrypted payloads fit.
        let sealedBatches: Int

        /// For all viewers of a loop. Encrypted bytes are still in the processor's cache when the kernel reads them.
        static let shared = Capacity(messages: 256, packets: 4_096, sealedBatches: 8)
        /// For the viewers of one host: a tenth of the memory.
        static let separate = Capacity(messages: 16, packets: 256, sealedBatches: 2)

        var sealedByteCount: Int { sealedBatches * GSOBatch.maximumByteCount }
    }

    /// A header, and the original sequence number of a retransmission.
    private static let longestPrefixByteCount = HeaderRewriter.Headers.maximumByteCount + 2

    private let capacity: Capacity
    private let messages: UnsafeMutablePointer<mmsghdr>
    private let rollbackPoints: UnsafeMutablePointer<RollbackPoint>
    private let vectors: UnsafeMutablePointer<iovec>
    private let prefixes: UnsafeMutableRawPointer
    private let controls: UnsafeMutableRawPointer
    private var sealed: UnsafeMutableRawPointer?
    private var sealedByteCount = 0
    private var packetCount = 0
    private var prefixByteCount = 0
    /// The first message that has not been sent.
    private var first = 0
    private var end = 0

    init(capacity: Capacity = .shared) {
        self.capacity = capacity
        messages = .allocate(capacity: capacity.messages)
        messages.initialize(repeating: mmsghdr(), count: capacity.messages)
        rollbackPoints = .allocate(capacity: capacity.messages)
        vectors = .allocate(capacity: 2 * capacity.packets)
        vectors.initialize(repeating: iovec(), count: 2 * capacity.packets)
        prefixes = .allocate(byteCount: capacity.packets * Self.longestPrefixByteCount, alignment: 16)
        controls = .allocate(byteCount: capacity.messages * ControlMessages.byteCount, alignment: 16)
    }

    deinit {
        messages.deallocate()
        rollbackPoints.deallocate()
        vectors.deallocate()
        prefixes.deallocate()
        controls.deallocate()
        sealed?.deallocate()
    }

    /// Messages that have not been sent.
    var messageCount: Int { end - first }

    /// The unsent messages. A split message is sent alone, because the next message must not overtake the rest of it.
    var pending: UnsafeMutableBufferPointer<mmsghdr> {
        UnsafeMutableBufferPointer(start: messages + first, count: isFirstSplit ? 1 : messageCount)
    }

    /// Whether the first unsent message is a GSO batch.
    var isFirstGSOBatch: Bool { messageCount > 0 && rollbackPoints[first].packetCount > 1 && !isFirstSplit }

    private var isFirstSplit: Bool { messageCount > 0 && rollbackPoints[first].isSplit }

    /// Whether messages with `count` packets together still fit.
    func hasRoom(forPackets count: Int, messages messageCount: Int = 1) -> Bool {
        end + messageCount <= capacity.messages && packetCount + count <= capacity.packets
            && sealedByteCount <= capacity.sealedByteCount - GSOBatch.maximumByteCount
    }

    /// Adds the packets `range` of `run`, all of one GSO batch, as one message. The caller has checked `hasRoom`.
    ///
    /// - Parameters:
    ///   - headers: the headers of the packets.
    ///   - protection: the SRTP protection, and the index of the first packet; `nil` without SRTP.
    ///   - origin: `nil` if the packets are sent again.
    /// - Returns: payload octets added.
    func append(
        _ range: Range<Int>, of run: PacketRun, _ headers: HeaderRewriter.Headers,
        _ protection: (outgoing: OutgoingProtection, first: UInt64)?, to route: UDPRoute, from origin: Origin?
    ) -> Int {
        let firstVector = 2 * packetCount
        let firstPayload = Int(run.packets[range.lowerBound].byteCount)
        var (octets, added) = (0, 0)
        if let protection {
            added = protection.outgoing.overhead
            octets = addSealed(range, of: run, headers, by: protection.outgoing, from: protection.first)
        } else {
            octets = add(range, of: run, headers)
        }
        let segment = range.count > 1 ? headers.byteCount + firstPayload + added : nil
        fillMessage(
            route: route, firstVector: firstVector, vectorCount: 2 * range.count,
            segmentByteCount: segment.map { UInt16(truncatingIfNeeded: $0) })
        rollbackPoints[end] = RollbackPoint(
            origin: origin, route: .passUnretained(route), track: run.track, packetCount: range.count,
            octetCount: octets, addedByteCount: added, endsUnit: range.upperBound == run.packets.count)
        end += 1
        return octets
    }

    /// Adds a packet of `run` again, as the next packet of a retransmission stream: its payload is the original sequence number,
    /// which follows the header extensions, and the original payload (RFC 4588, section 4). The caller has checked `hasRoom`.
    ///
    /// - Parameters:
    ///   - headers: the headers of the retransmission stream.
    ///   - protection: the SRTP protection of the stream, and the index of the packet; `nil` without SRTP.
    func append(
        retransmissionOf index: Int, of run: PacketRun, _ original: SequenceNumber, _ headers: HeaderRewriter.Headers,
        _ protection: (outgoing: OutgoingProtection, index: UInt64)?, to route: UDPRoute
    ) {
        let packet = run.packets[index]
        let firstVector = 2 * packetCount
        let header = addHeader(of: packet, 0, headers)
        let prefix = prefixes + prefixByteCount
        prefix.storeBytes(of: original.rawValue.bigEndian, as: UInt16.self)
        prefixByteCount += 2
        if let protection {
            let plain = UnsafeMutableRawBufferPointer(start: sealedPlace, count: 2 + Int(packet.byteCount))
            plain.storeBytes(of: original.rawValue.bigEndian, as: UInt16.self)
            UnsafeMutableRawBufferPointer(rebasing: plain[2...]).copyMemory(from: run.payload(of: packet))
            let byteCount = plain.count + protection.outgoing.overhead
            protection.outgoing.seal(
                UnsafeRawBufferPointer(plain), header: header, index: protection.index, to: sealedPlace)
            vectors[firstVector + 1] = iovec(iov_base: sealedPlace, iov_len: byteCount)
            sealedByteCount += byteCount
        } else {
            vectors[firstVector].iov_len += 2
            vectors[firstVector + 1] = iovec(readingFrom: run.payload(of: packet))
        }
        packetCount += 1
        fillMessage(route: route, firstVector: firstVector, vectorCount: 2, segmentByteCount: nil)
        rollbackPoints[end] = RollbackPoint(
            origin: nil, route: .passUnretained(route), track: run.track, packetCount: 1, octetCount: 0,
            addedByteCount: 0, endsUnit: false)
        end += 1
    }

    /// Where the next encrypted payload goes.
    private var sealedPlace: UnsafeMutableRawPointer {
        let memory = sealed ?? .allocate(byteCount: capacity.sealedByteCount, alignment: 16)
        sealed = memory
        return memory + sealedByteCount
    }

    /// Removes the first `count` unsent messages, sent or refused; of a split message, only its first packet.
    func removeFirst(_ count: Int) {
        if count > 0, isFirstSplit, rollbackPoints[first].packetCount > 1 { return goToNextPacketOfFirst() }
        first += count
        if first == end { removeAll() }
    }

    /// Splits the first unsent message, a refused GSO batch, into single packets. Its route gets no more GSO batches.
    func splitFirst() {
        let route = rollbackPoints[first].route.takeUnretainedValue()
        route.refusedGSO()
        rollbackPoints[first].isSplit = true
        messages[first].msg_hdr.msg_iovlen = 2
        writeControl(ofMessage: first, route: route, segmentByteCount: nil)
    }

    private func goToNextPacketOfFirst() {
        rollbackPoints[first].packetCount -= 1
        rollbackPoints[first].octetCount -=
            messages[first].msg_hdr.msg_iov[1].iov_len - rollbackPoints[first].addedByteCount
        rollbackPoints[first].origin?.checkpoint.position.offset += 1
        messages[first].msg_hdr.msg_iov += 2
    }

    /// Removes all unsent messages; returns them, the newest first.
    func rollBack() -> [UnsentMessage] {
        defer { removeAll() }
        return stride(from: end - 1, through: first, by: -1).map { index in
            let point = rollbackPoints[index]
            return UnsentMessage(
                origin: point.origin, track: point.track, packetCount: point.packetCount, octetCount: point.octetCount,
                endsUnit: point.endsUnit)
        }
    }

    private func removeAll() {
        first = 0
        end = 0
        packetCount = 0
        prefixByteCount = 0
        sealedByteCount = 0
    }

    /// Adds packets unencrypted; returns their payload octets.
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

    /// Adds encrypted packets, starting with packet index `first`; returns their payload octets.
    ///
    /// A packet that the kernel does not take is encrypted again later under the same index, because it was never sent.
    private func addSealed(
        _ range: Range<Int>, of run: PacketRun, _ headers: HeaderRewriter.Headers, by protection: OutgoingProtection,
        from first: UInt64
    ) -> Int {
        var octets = 0
        for index in range {
            let packet = run.packets[index]
            let header = addHeader(of: packet, index - range.lowerBound, headers)
            let place = sealedPlace
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
    /// A vector that the kernel only reads from, which C cannot express.
    init(readingFrom bytes: UnsafeRawBufferPointer) {
        self.init(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}

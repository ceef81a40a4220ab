import CLinux
import RTP
import SRTP

/// Packets of one run, framed for one connection and gathered for one write: for RTSP (RFC 2326, section 10.12), or for WebRTC (RFC 4571).
///
/// ```
/// '$' | channel | length, 2 bytes | RTP header | payload, in the run
///                 length, 2 bytes | RTP header | payload, in the run
/// ```
/// Its memory is allocated once per loop and shared by its viewers. It points at payloads: write it before the run is released.
final class InterleavedBatch {
    /// Packets in one write, two vectors each: the kernel takes 1 024 vectors (IOV_MAX).
    static let capacity = 512
    /// The bytes before the RTP header: four, or the last two of them.
    private static let longestFrameByteCount = 4
    private var frameByteCount = longestFrameByteCount
    /// Space for each prefix.
    private static let stride = longestFrameByteCount + HeaderRewriter.Headers.maximumByteCount

    private let vectors: UnsafeMutablePointer<iovec>
    private let prefixes: UnsafeMutableRawPointer
    /// Memory for one contiguous piece to be encrypted by TLS; allocated when a viewer first needs it.
    private var pieceMemory: UnsafeMutableRawPointer?
    /// Space for any packet, because its length field has two bytes.
    private static let pieceByteCount = stride + Int(UInt16.max)
    /// Memory for payloads encrypted by SRTP; allocated when a viewer first needs it.
    private var sealedMemory: UnsafeMutableRawPointer?
    /// Space for many packets, or at least for the longest.
    private static let sealedCapacity = 4 * Int(UInt16.max)
    private(set) var packetCount = 0

    init() {
        vectors = .allocate(capacity: 2 * Self.capacity)
        vectors.initialize(repeating: iovec(), count: 2 * Self.capacity)
        prefixes = .allocate(byteCount: Self.capacity * Self.stride, alignment: 16)
    }

    deinit {
        vectors.deallocate()
        prefixes.deallocate()
        pieceMemory?.deallocate()
        sealedMemory?.deallocate()
    }

    /// The vectors to write: prefix and payload of each packet.
    var parts: UnsafeBufferPointer<iovec> { UnsafeBufferPointer(start: vectors, count: 2 * packetCount) }

    /// Replaces the batch by the packets `range` of `run`, at most `capacity`. If they are encrypted, fewer may fit.
    ///
    /// - Parameter channel: the channel of RTSP; `nil` for frames that consist of the length alone.
    func fill(_ range: Range<Int>, of run: PacketRun, ticks: UInt32, channel: UInt8?, track: ViewerTrack) {
        let protection = track.protection?.outgoing
        fillPrefixes(range, of: run, ticks: ticks, channel: channel, track: track, adding: protection?.overhead ?? 0)
        if let protection { seal(by: protection, from: track.packetIndex) }
    }

    /// Replaces payloads by encrypted ones, as many as there is space for.
    private func seal(by protection: OutgoingProtection, from first: UInt64) {
        let memory = sealedMemory ?? .allocate(byteCount: Self.sealedCapacity, alignment: 16)
        sealedMemory = memory
        var end = 0
        for slot in 0..<packetCount {
            let (prefix, payload) = (vectors[2 * slot], vectors[2 * slot + 1])
            let byteCount = payload.iov_len + protection.overhead
            guard end + byteCount <= Self.sealedCapacity, let start = prefix.iov_base else {
                packetCount = slot
                return
            }
            protection.seal(
                UnsafeRawBufferPointer(start: payload.iov_base, count: payload.iov_len),
                header: UnsafeRawBufferPointer(
                    start: start + frameByteCount, count: prefix.iov_len - frameByteCount),
                index: first &+ UInt64(slot), to: memory + end)
            vectors[2 * slot + 1] = iovec(iov_base: memory + end, iov_len: byteCount)
            end += byteCount
        }
    }

    private func fillPrefixes(
        _ range: Range<Int>, of run: PacketRun, ticks: UInt32, channel: UInt8?, track: ViewerTrack, adding added: Int
    ) {
        packetCount = range.count
        frameByteCount = channel == nil ? 2 : Self.longestFrameByteCount
        let skipped = Self.longestFrameByteCount - frameByteCount
        let headers = track.rewriter.headers(of: run, ticks: ticks)
        for index in range {
            let packet = run.packets[index]
            let slot = index - range.lowerBound
            let prefix = prefixes + slot * Self.stride
            let byteCount = UInt16(truncatingIfNeeded: headers.byteCount + Int(packet.byteCount) + added)
            prefix.storeBytes(of: 0x24, as: UInt8.self)
            prefix.storeBytes(of: channel ?? 0, toByteOffset: 1, as: UInt8.self)
            prefix.storeBytes(of: byteCount.bigEndian, toByteOffset: 2, as: UInt16.self)
            headers.write(ofPacket: slot, isMarked: packet.isMarked, to: prefix + Self.longestFrameByteCount)
            vectors[2 * slot] = iovec(iov_base: prefix + skipped, iov_len: frameByteCount + headers.byteCount)
            vectors[2 * slot + 1] = iovec(readingFrom: run.payload(of: packet))
        }
    }

    /// The packets from `first` on as contiguous bytes, as many as fit `capacity`, at least one. Valid until the next call.
    func piece(from first: Int, capacity: Int) -> (bytes: UnsafeRawBufferPointer, packetCount: Int) {
        let memory = pieceMemory ?? .allocate(byteCount: Self.pieceByteCount, alignment: 16)
        pieceMemory = memory
        var (end, packet) = (0, first)
        while packet < packetCount {
            let (prefix, payload) = (vectors[2 * packet], vectors[2 * packet + 1])
            let length = prefix.iov_len + payload.iov_len
            guard packet == first || end + length <= min(capacity, Self.pieceByteCount) else { break }
            prefix.copy(to: memory + end)
            payload.copy(to: memory + end + prefix.iov_len)
            end += length
            packet += 1
        }
        return (UnsafeRawBufferPointer(start: memory, count: end), packet - first)
    }

    /// How many packets the first `byteCount` bytes cover. A partial packet counts, and `keep` gets its rest.
    func packets(coveredBy byteCount: Int, keep: (UnsafeRawBufferPointer) -> Void) -> (count: Int, isSplit: Bool) {
        var rest = byteCount
        for packet in 0..<packetCount {
            let (prefix, payload) = (vectors[2 * packet], vectors[2 * packet + 1])
            let length = prefix.iov_len + payload.iov_len
            if rest >= length {
                rest -= length
                continue
            }
            guard rest > 0 else { return (packet, false) }
            for part in [prefix, payload] {
                let passed = min(rest, part.iov_len)
                rest -= passed
                keep(
                    UnsafeRawBufferPointer(
                        rebasing: UnsafeRawBufferPointer(start: part.iov_base, count: part.iov_len)[passed...]))
            }
            return (packet + 1, true)
        }
        return (packetCount, false)
    }
}

extension iovec {
    /// Copies the bytes that the vector points at.
    fileprivate func copy(to place: UnsafeMutableRawPointer) {
        if let iov_base { place.copyMemory(from: iov_base, byteCount: iov_len) }
    }
}

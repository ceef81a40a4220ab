import Media

/// One access unit, or part of one, as the payloads of RTP packets. It is immutable and made once for all viewers.
///
/// One allocation holds all payload bytes, including FU-A, STAP-A and AU headers. For each viewer only the RTP header before a
/// payload is written (`HeaderRewriter`).
public final class PacketRun: PackagedUnit {
    /// The range of one packet's payload, and its marker bit.
    public struct Packet: Hashable, Sendable, BitwiseCopyable {
        /// The index of the payload's first byte in `payload`.
        public let offset: UInt32
        /// Payload bytes, without the RTP header.
        public let byteCount: UInt16
        /// The marker bit: whether this packet completes the access unit.
        public let isMarked: Bool

        @inlinable
        init(offset: UInt32, byteCount: UInt16, isMarked: Bool) {
            self.offset = offset
            self.byteCount = byteCount
            self.isMarked = isMarked
        }
    }

    public let track: TrackID
    public let presentationTime: MediaTime
    /// The wall-clock time of capture, if known. Time compression does not change it.
    public let captured: NTPTime?
    public let isKeyframe: Bool
    /// Whether it is a whole frame that no other refers to, so that a slow viewer can do without it.
    public let isDisposable: Bool
    /// Which part of the access unit the packets carry. A viewer can start only at the first part.
    public let part: AccessUnit.Part
    /// In sending order, never empty, back to back in `payload`.
    public let packets: [Packet]
    /// Ranges of `packets` that one GSO message can carry, in order. Together they cover all packets.
    ///
    /// In a batch, all packets have the same length; only the last may be shorter (`GSOBatch`).
    public let gsoBatches: [Range<Int>]
    /// All payload bytes. They are freed with the run.
    public nonisolated(unsafe) let payload: UnsafeRawBufferPointer

    /// Payload bytes of all packets: the octet count for sender reports.
    @inlinable
    public var byteCount: Int { payload.count }

    /// Packetizes `unit` with `fill`; `nil` if `fill` writes nothing.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of payload bytes that `fill` writes.
    ///   - isDisposable: whether no frame refers to the unit.
    init?(of unit: AccessUnit, capacity: Int, isDisposable: Bool = false, fill: (inout Writer) -> Void) {
        var writer = Writer(capacity: capacity)
        fill(&writer)
        guard !writer.packets.isEmpty else {
            writer.memory.deallocate()
            return nil
        }
        if unit.part.isEnd, writer.marksAccessUnits { writer.markLast() }
        track = unit.track
        presentationTime = unit.presentationTime
        captured = unit.captured
        isKeyframe = unit.isKeyframe
        self.isDisposable = isDisposable && unit.part == .whole
        part = unit.part
        packets = writer.packets
        gsoBatches = GSOBatch.split(writer.packets)
        payload = UnsafeRawBufferPointer(rebasing: writer.memory[..<writer.byteCount])
    }

    deinit {
        payload.deallocate()
    }

    /// The payload bytes of one packet. They are valid while the run exists.
    @inlinable
    public func payload(of packet: Packet) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: payload[Int(packet.offset)..<(Int(packet.offset) + Int(packet.byteCount))])
    }
}

import Media

/// One access unit, or part of one, as the payloads of RTP packets. Immutable, made once for all viewers.
///
/// One allocation holds all payload bytes, FU-A, STAP-A and AU headers in place; a viewer only puts its header before
/// each (`HeaderRewriter`).
public final class PacketRun: PackagedUnit {
    /// Where one packet's payload lies, and what its header must say of it.
    public struct Packet: Hashable, Sendable, BitwiseCopyable {
        /// Index of the payload's first byte in `payload`.
        public let offset: UInt32
        /// Payload bytes: what follows the RTP header.
        public let byteCount: UInt16
        /// The marker bit: whether the access unit is complete with this packet.
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
    /// When it was captured, by the wall clock, if that is known: also where the presentation time is squeezed.
    public let captured: NTPTime?
    public let isKeyframe: Bool
    /// Which part of the access unit the packets carry; a viewer starts only at a start.
    public let part: AccessUnit.Part
    /// In sending order, never empty, back to back in `payload`.
    public let packets: [Packet]
    /// Ranges of `packets` that the kernel can cut from one message, in order and covering all.
    ///
    /// Inside one, all packets are equally long except the last, which may be shorter (`GSOBatch`).
    public let gsoBatches: [Range<Int>]
    /// All payload bytes; they live as long as the run.
    public nonisolated(unsafe) let payload: UnsafeRawBufferPointer

    /// Payload bytes of all packets: what sender reports count as octets.
    @inlinable
    public var byteCount: Int { payload.count }

    /// Writes the packets of `unit` with `fill`; `nil` if that writes none.
    ///
    /// - Parameter capacity: payload bytes that `fill` writes at most.
    init?(of unit: AccessUnit, capacity: Int, fill: (inout Writer) -> Void) {
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
        part = unit.part
        packets = writer.packets
        gsoBatches = GSOBatch.split(writer.packets)
        payload = UnsafeRawBufferPointer(rebasing: writer.memory[..<writer.byteCount])
    }

    deinit {
        payload.deallocate()
    }

    /// The payload bytes of one packet, valid while the run lives.
    @inlinable
    public func payload(of packet: Packet) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: payload[Int(packet.offset)..<(Int(packet.offset) + Int(packet.byteCount))])
    }
}

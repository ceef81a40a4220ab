import Media

/// All that one viewer adds to one track's packets: the fields of the twelve bytes before the payload.
///
/// It copies as plain bytes. Whoever owns it writes the headers of a run, then calls `advance`, so that sequence
/// numbers stay contiguous whatever the viewer skips.
public struct HeaderRewriter: Hashable, Sendable, BitwiseCopyable {
    public let payloadType: PayloadType
    public let ssrc: SSRC
    /// The number of the next packet to be sent.
    public var nextSequenceNumber: SequenceNumber
    /// What is added to a media time's low 32 bits to make an RTP timestamp.
    public var timestampOffset: UInt32

    @inlinable
    public init(
        payloadType: PayloadType, ssrc: SSRC, firstSequenceNumber: SequenceNumber, timestampOffset: UInt32
    ) {
        self.payloadType = payloadType
        self.ssrc = ssrc
        self.nextSequenceNumber = firstSequenceNumber
        self.timestampOffset = timestampOffset
    }

    /// The RTP timestamp that stands for `time` in this viewer's packets.
    @inlinable
    public func timestamp(of time: MediaTime) -> UInt32 {
        UInt32(truncatingIfNeeded: time.ticks) &+ timestampOffset
    }

    /// Writes the header of the packet `index` places after `nextSequenceNumber`: twelve bytes, at any alignment.
    ///
    /// - Parameter ticks: the media time's low 32 bits (`MediaTime.rtpTicks`), before the offset.
    @inlinable
    public func writeHeader(
        ofPacket index: Int, ticks: UInt32, isMarked: Bool, to destination: UnsafeMutableRawPointer
    ) {
        let number = nextSequenceNumber.advanced(by: index).rawValue
        // Version 2; no padding, no extension, no contributing source.
        let first = 0x8000_0000 | UInt32(payloadType.rawValue) << 16 | UInt32(number) | (isMarked ? 0x80_0000 : 0)
        destination.storeBytes(of: first.bigEndian, as: UInt32.self)
        destination.storeBytes(of: (ticks &+ timestampOffset).bigEndian, toByteOffset: 4, as: UInt32.self)
        destination.storeBytes(of: ssrc.rawValue.bigEndian, toByteOffset: 8, as: UInt32.self)
    }

    /// Counts `count` packets as sent.
    @inlinable
    public mutating func advance(by count: Int) {
        nextSequenceNumber = nextSequenceNumber.advanced(by: count)
    }
}

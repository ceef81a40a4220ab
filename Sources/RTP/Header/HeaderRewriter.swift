import Media

/// Writes the RTP headers of one track for one viewer: the twelve fixed bytes and, if requested, the capture time extension.
///
/// It is a plain value that is copied byte by byte. The owner writes the headers of a run and then calls `advance`, so that
/// sequence numbers stay contiguous even if the viewer skips runs.
public struct HeaderRewriter: Hashable, Sendable, BitwiseCopyable {
    public let payloadType: PayloadType
    public let ssrc: SSRC
    /// The sequence number of the next packet.
    public var nextSequenceNumber: SequenceNumber
    /// The offset that is added to the low 32 bits of a media time to make an RTP timestamp.
    public var timestampOffset: UInt32
    /// Whether each packet carries its capture time (`AbsoluteCaptureTime`).
    public let sendsAbsoluteCaptureTime: Bool

    @inlinable
    public init(
        payloadType: PayloadType, ssrc: SSRC, firstSequenceNumber: SequenceNumber, timestampOffset: UInt32,
        sendsAbsoluteCaptureTime: Bool = false
    ) {
        self.payloadType = payloadType
        self.ssrc = ssrc
        self.nextSequenceNumber = firstSequenceNumber
        self.timestampOffset = timestampOffset
        self.sendsAbsoluteCaptureTime = sendsAbsoluteCaptureTime
    }

    /// The RTP timestamp of `time` in this viewer's packets.
    @inlinable
    public func timestamp(of time: MediaTime) -> UInt32 {
        UInt32(truncatingIfNeeded: time.ticks) &+ timestampOffset
    }

    /// The headers of a run's packets.
    ///
    /// - Parameter ticks: the low 32 bits of the media time (`MediaTime.rtpTicks`), without the offset.
    @inlinable
    public func headers(of run: PacketRun, ticks: UInt32) -> Headers {
        Headers(self, ticks: ticks, captured: sendsAbsoluteCaptureTime ? run.captured : nil)
    }

    /// Counts `count` packets as sent.
    @inlinable
    public mutating func advance(by count: Int) {
        nextSequenceNumber = nextSequenceNumber.advanced(by: count)
    }
}

extension HeaderRewriter {
    /// The headers of one run's packets for one viewer. All have the same length.
    public struct Headers: Hashable, Sendable, BitwiseCopyable {
        @usableFromInline let rewriter: HeaderRewriter
        @usableFromInline let ticks: UInt32
        @usableFromInline let captured: NTPTime?

        @inlinable
        init(_ rewriter: HeaderRewriter, ticks: UInt32, captured: NTPTime?) {
            (self.rewriter, self.ticks, self.captured) = (rewriter, ticks, captured)
        }

        /// The size of each header.
        @inlinable
        public var byteCount: Int { captured == nil ? 12 : Self.maximumByteCount }

        /// The maximum size of a header: twelve bytes and the extension.
        @inlinable
        public static var maximumByteCount: Int { 12 + AbsoluteCaptureTime.byteCount }

        /// Writes the header of one packet, `index` packets after the viewer's next sequence number. Any alignment is allowed.
        @inlinable
        public func write(ofPacket index: Int, isMarked: Bool, to destination: UnsafeMutableRawPointer) {
            let number = rewriter.nextSequenceNumber.advanced(by: index).rawValue
            // Version 2, no padding, an extension if there is a capture time, no contributing source.
            let flags: UInt32 = captured == nil ? 0x8000_0000 : 0x9000_0000
            let first = flags | UInt32(rewriter.payloadType.rawValue) << 16 | UInt32(number)
            destination.storeBytes(of: (first | (isMarked ? 0x80_0000 : 0)).bigEndian, as: UInt32.self)
            let timestamp = ticks &+ rewriter.timestampOffset
            destination.storeBytes(of: timestamp.bigEndian, toByteOffset: 4, as: UInt32.self)
            destination.storeBytes(of: rewriter.ssrc.rawValue.bigEndian, toByteOffset: 8, as: UInt32.self)
            if let captured { write(captured, to: destination + 12) }
        }

        @inlinable
        func write(_ captured: NTPTime, to destination: UnsafeMutableRawPointer) {
            let words = AbsoluteCaptureTime.words(captured)
            destination.storeBytes(of: words.0.bigEndian, as: UInt32.self)
            destination.storeBytes(of: words.1.bigEndian, toByteOffset: 4, as: UInt32.self)
            destination.storeBytes(of: words.2.bigEndian, toByteOffset: 8, as: UInt32.self)
            destination.storeBytes(of: words.3.bigEndian, toByteOffset: 12, as: UInt32.self)
        }
    }
}

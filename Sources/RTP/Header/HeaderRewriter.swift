import Media

/// All that one viewer adds to one track's packets: the fields of the twelve bytes before the payload, and perhaps the time of
/// capture behind them.
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
    /// Whether each packet tells when it was captured (`AbsoluteCaptureTime`).
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

    /// The RTP timestamp that stands for `time` in this viewer's packets.
    @inlinable
    public func timestamp(of time: MediaTime) -> UInt32 {
        UInt32(truncatingIfNeeded: time.ticks) &+ timestampOffset
    }

    /// The headers of a run's packets.
    ///
    /// - Parameter ticks: the media time's low 32 bits (`MediaTime.rtpTicks`), before the offset.
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
    /// The headers of one run's packets, all equally long, as one viewer gets them.
    public struct Headers: Hashable, Sendable, BitwiseCopyable {
        @usableFromInline let rewriter: HeaderRewriter
        @usableFromInline let ticks: UInt32
        @usableFromInline let captured: NTPTime?

        @inlinable
        init(_ rewriter: HeaderRewriter, ticks: UInt32, captured: NTPTime?) {
            (self.rewriter, self.ticks, self.captured) = (rewriter, ticks, captured)
        }

        /// Of each of them.
        @inlinable
        public var byteCount: Int { captured == nil ? 12 : Self.maximumByteCount }

        /// Of any that there may be: twelve, and those of an extension.
        @inlinable
        public static var maximumByteCount: Int { 12 + AbsoluteCaptureTime.byteCount }

        /// Writes the header of the packet `index` places after the viewer's next sequence number, at any alignment.
        @inlinable
        public func write(ofPacket index: Int, isMarked: Bool, to destination: UnsafeMutableRawPointer) {
            let number = rewriter.nextSequenceNumber.advanced(by: index).rawValue
            // Version 2; no padding, an extension where there is something to tell, no contributing source.
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

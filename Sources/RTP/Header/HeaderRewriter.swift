import Media

/// Writes the RTP headers of one track for one viewer: the twelve fixed bytes and the header extensions of its layout.
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
    /// The header extensions of each packet.
    public let extensions: HeaderExtensionLayout

    @inlinable
    public init(
        payloadType: PayloadType, ssrc: SSRC, firstSequenceNumber: SequenceNumber, timestampOffset: UInt32,
        extensions: HeaderExtensionLayout = .none
    ) {
        self.payloadType = payloadType
        self.ssrc = ssrc
        self.nextSequenceNumber = firstSequenceNumber
        self.timestampOffset = timestampOffset
        self.extensions = extensions
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
        Headers(
            self, ticks: ticks,
            extensions: extensions.byteCount > 0 ? HeaderExtensionBlock(extensions, of: run) : HeaderExtensionBlock())
    }

    /// Counts `count` packets as sent.
    @inlinable
    public mutating func advance(by count: Int) {
        nextSequenceNumber = nextSequenceNumber.advanced(by: count)
    }
}

extension HeaderRewriter {
    /// The headers of one run's packets for one viewer. All have the same length.
    public struct Headers: Sendable, BitwiseCopyable {
        @usableFromInline let rewriter: HeaderRewriter
        @usableFromInline let ticks: UInt32
        @usableFromInline let extensions: HeaderExtensionBlock

        @inlinable
        init(_ rewriter: HeaderRewriter, ticks: UInt32, extensions: HeaderExtensionBlock) {
            (self.rewriter, self.ticks, self.extensions) = (rewriter, ticks, extensions)
        }

        /// The size of each header.
        @inlinable
        public var byteCount: Int { 12 + extensions.byteCount }

        /// The maximum size of a header: twelve bytes and all extensions.
        @inlinable
        public static var maximumByteCount: Int { 12 + HeaderExtensionMemory.count }

        /// Writes the header of one packet, `index` packets after the viewer's next sequence number. Any alignment is allowed.
        @inlinable
        public func write(ofPacket index: Int, isMarked: Bool, to destination: UnsafeMutableRawPointer) {
            let number = rewriter.nextSequenceNumber.advanced(by: index).rawValue
            // Version 2, no padding, an extension if there is a block, no contributing source.
            let flags: UInt32 = extensions.byteCount == 0 ? 0x8000_0000 : 0x9000_0000
            let first = flags | UInt32(rewriter.payloadType.rawValue) << 16 | UInt32(number)
            destination.storeBytes(of: (first | (isMarked ? 0x80_0000 : 0)).bigEndian, as: UInt32.self)
            let timestamp = ticks &+ rewriter.timestampOffset
            destination.storeBytes(of: timestamp.bigEndian, toByteOffset: 4, as: UInt32.self)
            destination.storeBytes(of: rewriter.ssrc.rawValue.bigEndian, toByteOffset: 8, as: UInt32.self)
            guard extensions.byteCount > 0 else { return }
            withUnsafeBytes(of: extensions.memory) { block in
                UnsafeMutableRawBufferPointer(start: destination + 12, count: extensions.byteCount)
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<extensions.byteCount]))
            }
            guard extensions.numberOffset > 0 else { return }
            destination.storeBytes(of: number.bigEndian, toByteOffset: 12 + extensions.numberOffset, as: UInt16.self)
        }
    }
}

extension HeaderExtensionBlock {
    /// The extensions of the packets of `run`. Made once per message; only the number is written per packet.
    @usableFromInline
    init(_ layout: HeaderExtensionLayout, of run: PacketRun) {
        self.init()
        var rest = layout.identifiers
        while rest != 0 {
            let place = rest.trailingZeroBitCount & ~3
            let identifier = UInt8(truncatingIfNeeded: rest >> place & 0xF)
            if let element = HeaderExtension(rawValue: UInt8(place / 4)), let value = layout.value(of: element, in: run)
            {
                append(identifier, value, valueByteCount: layout.valueByteCount(of: element))
                if element == .transportSequenceNumber { numberOffset = byteCount - 2 }
            }
            rest &= ~(0xF << UInt32(place))
        }
        end()
    }
}

extension HeaderExtensionLayout {
    /// The value of an extension in the packets of `run`, as a number; `nil` if the run has none.
    fileprivate func value(of element: HeaderExtension, in run: PacketRun) -> UInt64? {
        switch element {
        case .absoluteCaptureTime: run.captured?.rawValue
        // Each packet has its own.
        case .transportSequenceNumber: 0
        case .playoutDelay: UInt64(constants.playoutDelay)
        case .mediaIdentification: constants.mediaIdentification
        }
    }
}

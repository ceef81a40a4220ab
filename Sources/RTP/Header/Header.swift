import Wire

/// The RTP header (RFC 3550, section 5.1).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|X|  CC   |M|     PT      |       sequence number         |
/// |                           timestamp                           |
/// |           synchronization source (SSRC) identifier            |
/// |      contributing source (CSRC) identifiers, 0 to 15          |
/// |      extension: profile, length in words  |  data …           |
/// ```
public struct Header: Hashable, Sendable {
    /// The size of a header without contributing sources and extension.
    public static let fixedByteCount = 12

    public var payloadType: PayloadType
    public var isMarked: Bool
    public var sequenceNumber: SequenceNumber
    public var timestamp: UInt32
    public var ssrc: SSRC
    /// At most 15.
    public private(set) var contributingSources: [SSRC]
    public var headerExtension: Extension?

    /// The extension after the fixed part (RFC 3550, section 5.3.1).
    public struct Extension: Hashable, Sendable {
        /// `oneByteProfile`, or another one with a format of its own.
        public let profile: UInt16
        /// A multiple of four bytes, at most 65 535 words.
        public let data: [UInt8]

        /// The profile of elements with a header of one byte (RFC 8285, section 4.2).
        static let oneByteProfile: UInt16 = 0xBEDE

        public init(profile: UInt16, data: [UInt8]) {
            precondition(data.count % 4 == 0 && data.count / 4 <= 0xFFFF, "an extension consists of whole words")
            self.profile = profile
            self.data = data
        }
    }

    public init(
        payloadType: PayloadType, isMarked: Bool, sequenceNumber: SequenceNumber, timestamp: UInt32, ssrc: SSRC,
        contributingSources: [SSRC] = [], headerExtension: Extension? = nil
    ) {
        precondition(contributingSources.count <= 15, "the count has four bits")
        self.payloadType = payloadType
        self.isMarked = isMarked
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        self.contributingSources = contributingSources
        self.headerExtension = headerExtension
    }

    /// The header, and the range of the payload without padding; `nil` if `packet` is not an RTP packet (RFC 3550, A.1).
    public static func parse(_ packet: RawSpan) -> (header: Header, payload: Range<Int>)? {
        var reader = ByteReader(packet)
        guard let flags = reader.uint8(), flags >> 6 == 2, let second = reader.uint8(),
            let number = reader.uint16(), let timestamp = reader.uint32(), let ssrc = reader.uint32()
        else { return nil }
        var header = Header(
            payloadType: PayloadType(lowBitsOf: second), isMarked: second & 0x80 != 0,
            sequenceNumber: SequenceNumber(number), timestamp: timestamp, ssrc: SSRC(ssrc))
        for _ in 0..<(flags & 0x0F) {
            guard let source = reader.uint32() else { return nil }
            header.contributingSources.append(SSRC(source))
        }
        if flags & 0x10 != 0 {
            guard let profile = reader.uint16(), let words = reader.uint16(), let data = reader.take(Int(words) * 4)
            else { return nil }
            header.headerExtension = Extension(profile: profile, data: [UInt8](data))
        }
        guard let end = endOfPayload(of: packet, from: reader.offset, isPadded: flags & 0x20 != 0) else { return nil }
        return (header, reader.offset..<end)
    }

    /// The last byte of a padded packet is the number of padding bytes, including itself.
    private static func endOfPayload(of packet: RawSpan, from start: Int, isPadded: Bool) -> Int? {
        guard isPadded else { return packet.byteCount }
        guard packet.byteCount > start else { return nil }
        let padding = Int(packet.byte(at: packet.byteCount - 1))
        guard padding > 0, padding <= packet.byteCount - start else { return nil }
        return packet.byteCount - padding
    }

    /// Appends the header. The caller appends the payload.
    public func write(to writer: inout ByteWriter) {
        let flags = 0x80 | (headerExtension == nil ? 0 : 0x10) | UInt8(truncatingIfNeeded: contributingSources.count)
        writer.uint8(flags)
        writer.uint8(payloadType.rawValue | (isMarked ? 0x80 : 0))
        writer.uint16(sequenceNumber.rawValue)
        writer.uint32(timestamp)
        writer.uint32(ssrc.rawValue)
        for source in contributingSources { writer.uint32(source.rawValue) }
        guard let headerExtension else { return }
        writer.uint16(headerExtension.profile)
        writer.uint16(UInt16(truncatingIfNeeded: headerExtension.data.count / 4))
        writer.append(headerExtension.data)
    }
}

import RTP

/// The offsets of the parts of an SRTP packet (RFC 3711, section 3.1; RFC 7714, section 8).
struct SRTPLayout {
    let ssrc: UInt32
    let sequenceNumber: SequenceNumber
    /// The offset of the encrypted payload: the length of the header with its contributing sources and extension.
    let bodyOffset: Int
    let bodyByteCount: Int
    let tagOffset: Int
    let identifierRange: Range<Int>

    /// Reads the header of a received packet; `nil` if it is no RTP, or too short for a tag.
    init?(of packet: UnsafeRawBufferPointer, _ suite: CipherSuite, identifierByteCount: Int) {
        guard packet.count >= Header.fixedByteCount, packet[0] >> 6 == 2,
            let bodyOffset = Self.headerByteCount(of: packet)
        else { return nil }
        let end = packet.count - suite.tagByteCount - identifierByteCount
        guard end >= bodyOffset else { return nil }
        sequenceNumber = SequenceNumber(UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        (self.bodyOffset, bodyByteCount) = (bodyOffset, end - bodyOffset)
        switch suite {
        case .counterMode:
            identifierRange = end..<(end + identifierByteCount)
            tagOffset = identifierRange.upperBound
        case .gcm:
            tagOffset = end
            identifierRange = (end + suite.tagByteCount)..<packet.count
        }
    }

    /// The length of a header; `nil` if the packet ends before its extension.
    private static func headerByteCount(of packet: UnsafeRawBufferPointer) -> Int? {
        let fixed = Header.fixedByteCount + 4 * Int(packet[0] & 0x0F)
        guard packet[0] & 0x10 != 0 else { return fixed }
        guard packet.count >= fixed + 4 else { return nil }
        let words = UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: fixed + 2, as: UInt16.self))
        return fixed + 4 + 4 * Int(words)
    }
}

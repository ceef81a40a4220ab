import RTP

/// The offsets of the parts of an SRTCP packet (RFC 3711, section 3.4; RFC 7714, section 9).
struct SRTCPLayout {
    /// The unencrypted bytes: the header up to the SSRC.
    static let headerByteCount = 8
    /// The E flag in the word of the index: the packet is encrypted.
    static let encryptedFlag: UInt32 = 0x8000_0000
    /// The largest index; an index has 31 bits.
    static let lastIndex: UInt32 = 0x7FFF_FFFF

    let bodyByteCount: Int
    let tagOffset: Int
    let indexOffset: Int
    let identifierRange: Range<Int>
    let byteCount: Int

    init(_ suite: CipherSuite, bodyByteCount: Int, identifierByteCount: Int) {
        self.bodyByteCount = bodyByteCount
        let end = Self.headerByteCount + bodyByteCount
        switch suite {
        case .counterMode:
            indexOffset = end
            identifierRange = (end + 4)..<(end + 4 + identifierByteCount)
            tagOffset = identifierRange.upperBound
            byteCount = tagOffset + suite.tagByteCount
        case .gcm:
            tagOffset = end
            indexOffset = end + suite.tagByteCount
            identifierRange = (indexOffset + 4)..<(indexOffset + 4 + identifierByteCount)
            byteCount = identifierRange.upperBound
        }
    }

    /// Creates the layout of a received packet; returns `nil` if the packet is too short.
    init?(_ suite: CipherSuite, byteCount: Int, identifierByteCount: Int) {
        let body = byteCount - Self.headerByteCount - 4 - identifierByteCount - suite.tagByteCount
        guard body >= 0 else { return nil }
        self.init(suite, bodyByteCount: body, identifierByteCount: identifierByteCount)
    }

    /// Returns the SSRC of a packet, which must have a whole header.
    static func source(of report: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(bigEndian: report.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }
}

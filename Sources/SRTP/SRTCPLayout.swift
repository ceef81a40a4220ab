import RTP

/// Where the parts of a protected report lie (RFC 3711, section 3.4; RFC 7714, section 9).
struct SRTCPLayout {
    /// What is not encrypted: up to the source's identifier.
    static let headerByteCount = 8
    /// Beside the index: the report is encrypted.
    static let encryptedFlag: UInt32 = 0x8000_0000
    /// Indices have 31 bits.
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

    /// That of a whole report; `nil` where it is too short to be one.
    init?(_ suite: CipherSuite, byteCount: Int, identifierByteCount: Int) {
        let body = byteCount - Self.headerByteCount - 4 - identifierByteCount - suite.tagByteCount
        guard body >= 0 else { return nil }
        self.init(suite, bodyByteCount: body, identifierByteCount: identifierByteCount)
    }

    /// Who reports, of a report that has a whole header.
    static func source(of report: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(bigEndian: report.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }
}

import RTP

/// Protects the RTCP packets of one source (RFC 3711, section 3.4). Confined to its owner's thread.
///
/// ```
/// 8 bytes │ encrypted rest │ (GCM: tag) │ index │ key identifier │ (counter mode: tag)
/// ```
public final class OutgoingReports {
    private let cipher: Cipher
    private let identifier: [UInt8]
    /// The index of the next packet.
    private var nextIndex: UInt32 = 0

    public init(_ key: MasterKey) throws(SRTPFailure) {
        cipher = try Cipher(SessionKeys(of: key, for: .rtcp), key.suite, .seals)
        identifier = key.identifier
    }

    /// Protects a compound packet; returns `nil` for an invalid one and after 2³¹ packets, because the index must not repeat.
    public func sealed(_ report: [UInt8]) -> [UInt8]? {
        guard report.count >= SRTCPLayout.headerByteCount, nextIndex <= SRTCPLayout.lastIndex else { return nil }
        let layout = SRTCPLayout(cipher.suite, bodyByteCount: report.count - 8, identifierByteCount: identifier.count)
        var bytes = [UInt8](repeating: 0, count: layout.byteCount)
        bytes.replaceSubrange(..<SRTCPLayout.headerByteCount, with: report.prefix(SRTCPLayout.headerByteCount))
        let word = nextIndex | SRTCPLayout.encryptedFlag
        for byte in 0..<4 {
            bytes[layout.indexOffset + byte] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * byte))
        }
        bytes.replaceSubrange(layout.identifierRange, with: identifier)
        let index = UInt64(nextIndex)
        nextIndex += 1
        bytes.withUnsafeMutableBytes { bytes in
            report.withUnsafeBytes { report in
                guard let start = bytes.baseAddress else { return }
                cipher.seal(
                    UnsafeRawBufferPointer(rebasing: report.dropFirst(SRTCPLayout.headerByteCount)), index: index,
                    ssrc: SRTCPLayout.source(of: report),
                    header: UnsafeRawBufferPointer(rebasing: report.prefix(SRTCPLayout.headerByteCount)),
                    trailer: UnsafeRawBufferPointer(start: start + layout.indexOffset, count: 4),
                    to: start + SRTCPLayout.headerByteCount, tag: start + layout.tagOffset)
            }
        }
        return bytes
    }
}

import RTP

/// Protects what one source sends: its packets, and its reports (RFC 3711, sections 3.3 and 3.4). Confined to its owner's thread.
///
/// ```
/// counter mode   header │ encrypted payload │ key identifier │ tag
/// GCM            header │ encrypted payload │ tag │ key identifier
/// reports        8 bytes │ encrypted rest │ (GCM: tag) │ index │ key identifier │ (counter mode: tag)
/// ```
public final class OutgoingProtection {
    private let packets: Cipher
    private let reports: Cipher
    private let identifier: [UInt8]
    private let ssrc: UInt32
    /// Of the next report.
    private var reportIndex: UInt32 = 0

    /// What a packet grows by.
    public let overhead: Int

    /// - Parameter ssrc: of all packets: two sources under one key may not have the same.
    public init(_ key: MasterKey, ssrc: UInt32) throws(SRTPFailure) {
        packets = try Cipher(SessionKeys(of: key, for: .packets), key.suite, .seals)
        reports = try Cipher(SessionKeys(of: key, for: .reports), key.suite, .seals)
        identifier = key.identifier
        self.ssrc = ssrc
        overhead = key.suite.tagByteCount + key.identifier.count
    }

    /// Writes what follows the header of a protected packet: `overhead` bytes more than the payload.
    ///
    /// - Parameters:
    ///   - header: the packet's, with its extension.
    ///   - index: the packet's number since the source began, the low 16 bits of which its header has (section 3.3.1). Never the
    ///     same for two packets that leave.
    public func seal(
        _ payload: UnsafeRawBufferPointer, header: UnsafeRawBufferPointer, index: UInt64,
        to place: UnsafeMutableRawPointer
    ) {
        let end = place + payload.count
        let isGCM = packets.suite == .gcm
        // What is authenticated behind the payload, and sent by nobody.
        var rollover = UInt32(truncatingIfNeeded: index >> 16).bigEndian
        withUnsafeBytes(of: &rollover) { rollover in
            packets.seal(
                payload, index: index, ssrc: ssrc, header: header,
                trailer: UnsafeRawBufferPointer(rebasing: rollover.prefix(isGCM ? 0 : rollover.count)), to: place,
                tag: isGCM ? end : end + identifier.count)
        }
        guard !identifier.isEmpty else { return }
        let identifierPlace = isGCM ? end + packets.suite.tagByteCount : end
        identifier.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: identifierPlace, count: bytes.count).copyMemory(from: bytes)
        }
    }

    /// A compound packet as it may leave; `nil` for what is none, and once 2³¹ have left, after which no other may.
    public func sealed(report: [UInt8]) -> [UInt8]? {
        guard report.count >= SRTCPLayout.headerByteCount, reportIndex <= SRTCPLayout.lastIndex else { return nil }
        let layout = SRTCPLayout(reports.suite, bodyByteCount: report.count - 8, identifierByteCount: identifier.count)
        var bytes = [UInt8](repeating: 0, count: layout.byteCount)
        bytes.replaceSubrange(..<SRTCPLayout.headerByteCount, with: report.prefix(SRTCPLayout.headerByteCount))
        let word = reportIndex | SRTCPLayout.encryptedFlag
        for byte in 0..<4 {
            bytes[layout.indexOffset + byte] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * byte))
        }
        bytes.replaceSubrange(layout.identifierRange, with: identifier)
        let index = UInt64(reportIndex)
        reportIndex += 1
        bytes.withUnsafeMutableBytes { bytes in
            report.withUnsafeBytes { report in
                guard let start = bytes.baseAddress else { return }
                reports.seal(
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

import RTP

/// Protects the RTP and RTCP packets of one source (RFC 3711, sections 3.3 and 3.4). Confined to its owner's thread.
///
/// ```
/// RTP, counter mode   header │ encrypted payload │ key identifier │ tag
/// RTP, GCM            header │ encrypted payload │ tag │ key identifier
/// ```
public final class OutgoingProtection {
    private let packets: Cipher
    private let reports: OutgoingReports
    private let identifier: [UInt8]
    private let ssrc: UInt32

    /// The bytes that protection adds to an RTP packet.
    public let overhead: Int

    /// - Parameter ssrc: The SSRC of all packets; two sources with the same key must not have the same SSRC.
    public init(_ key: MasterKey, ssrc: UInt32) throws(SRTPFailure) {
        packets = try Cipher(SessionKeys(of: key, for: .rtp), key.suite, .seals)
        reports = try OutgoingReports(key)
        identifier = key.identifier
        self.ssrc = ssrc
        overhead = key.suite.tagByteCount + key.identifier.count
    }

    /// Writes the protected bytes after a packet's header: the payload's length plus `overhead`.
    ///
    /// - Parameters:
    ///   - header: The packet's header with its extension.
    ///   - index: The packet's number since the start of the source; its low 16 bits are the sequence number (section 3.3.1). Two
    ///     packets that leave must never have the same index.
    public func seal(
        _ payload: UnsafeRawBufferPointer, header: UnsafeRawBufferPointer, index: UInt64,
        to place: UnsafeMutableRawPointer
    ) {
        let end = place + payload.count
        let isGCM = packets.suite == .gcm
        // The rollover counter is authenticated after the payload but not sent.
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

    /// Protects a compound packet (``OutgoingReports``).
    public func sealed(report: [UInt8]) -> [UInt8]? { reports.sealed(report) }
}

import RTP

/// Opens the SRTCP packets of a peer (RFC 3711, section 3.4), each packet once. Confined to its owner's thread.
public final class IncomingProtection {
    private let reports: Cipher
    private let identifier: [UInt8]
    /// The replay windows by SSRC, because each source counts for itself.
    private var windows: [UInt32: ReplayWindow] = [:]

    /// SSRCs that one peer may use. A peer changes its SSRC if it collides with another.
    private static let sourceCapacity = 8

    public init(_ key: MasterKey) throws(SRTPFailure) {
        reports = try Cipher(SessionKeys(of: key, for: .rtcp), key.suite, .opens)
        identifier = key.identifier
    }

    /// Returns the compound packet; `nil` if the packet is forged, a replay or not encrypted.
    public func opened(report: RawSpan) -> [UInt8]? {
        report.withUnsafeBytes { opened($0) }
    }

    private func opened(_ report: UnsafeRawBufferPointer) -> [UInt8]? {
        guard
            let layout = SRTCPLayout(
                reports.suite, byteCount: report.count, identifierByteCount: identifier.count)
        else { return nil }
        let word = UInt32(bigEndian: report.loadUnaligned(fromByteOffset: layout.indexOffset, as: UInt32.self))
        let source = SRTCPLayout.source(of: report)
        let index = UInt64(word & SRTCPLayout.lastIndex)
        guard word & SRTCPLayout.encryptedFlag != 0, report[layout.identifierRange].elementsEqual(identifier),
            accepts(index, of: source), let plain = plain(report, layout, index: index, source: source)
        else { return nil }
        windows[source, default: ReplayWindow()].markReceived(index)
        return plain
    }

    private func accepts(_ index: UInt64, of source: UInt32) -> Bool {
        windows[source]?.accepts(index) ?? (windows.count < Self.sourceCapacity)
    }

    private func plain(
        _ report: UnsafeRawBufferPointer, _ layout: SRTCPLayout, index: UInt64, source: UInt32
    ) -> [UInt8]? {
        func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: report[offset..<(offset + count)])
        }
        let header = part(0, SRTCPLayout.headerByteCount)
        var bytes = Array(header) + [UInt8](repeating: 0, count: layout.bodyByteCount)
        let isAuthentic = bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { start in
                reports.open(
                    part(SRTCPLayout.headerByteCount, layout.bodyByteCount),
                    tag: part(layout.tagOffset, reports.suite.tagByteCount), index: index, ssrc: source, header: header,
                    trailer: part(layout.indexOffset, 4), to: start + SRTCPLayout.headerByteCount)
            }
        }
        return isAuthentic == true ? bytes : nil
    }
}

import RTP

/// Opens what a peer reports (RFC 3711, section 3.4), each report once. Confined to its owner's thread.
public final class IncomingProtection {
    private let reports: Cipher
    private let identifier: [UInt8]
    /// By who reports: each counts for itself.
    private var windows: [UInt32: ReplayWindow] = [:]

    /// Sources that one peer may report as: it changes its own when it meets another's.
    private static let sourceCapacity = 8

    public init(_ key: MasterKey) throws(SRTPFailure) {
        reports = try Cipher(SessionKeys(of: key, for: .reports), key.suite, .opens)
        identifier = key.identifier
    }

    /// The compound packet; `nil` for what the peer has not sent, has sent before, or has not encrypted.
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
            accepts(index, of: source), let plain = plain(report, layout, index, source)
        else { return nil }
        windows[source, default: ReplayWindow()].markReceived(index)
        return plain
    }

    private func accepts(_ index: UInt64, of source: UInt32) -> Bool {
        windows[source]?.accepts(index) ?? (windows.count < Self.sourceCapacity)
    }

    private func plain(
        _ report: UnsafeRawBufferPointer, _ layout: SRTCPLayout, _ index: UInt64, _ source: UInt32
    ) -> [UInt8]? {
        func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: report[offset..<(offset + count)])
        }
        let header = part(0, SRTCPLayout.headerByteCount)
        var bytes = Array(header) + [UInt8](repeating: 0, count: layout.bodyByteCount)
        let isTheirs = bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { start in
                reports.open(
                    part(SRTCPLayout.headerByteCount, layout.bodyByteCount),
                    tag: part(layout.tagOffset, reports.suite.tagByteCount), index: index, ssrc: source, header: header,
                    trailer: part(layout.indexOffset, 4), to: start + SRTCPLayout.headerByteCount)
            }
        }
        return isTheirs == true ? bytes : nil
    }
}

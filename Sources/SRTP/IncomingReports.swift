import RTP

/// Opens the SRTCP packets of a peer (RFC 3711, section 3.4), each packet once. Confined to its owner's thread.
public final class IncomingReports {
    private let cipher: Cipher
    private let identifier: [UInt8]
    /// The replay windows by SSRC, because each source counts for itself.
    private var windows: [UInt32: ReplayWindow] = [:]
    private var memory = PlainMemory()
    /// Packets that were forged, or encrypted with another key, or not at all.
    public private(set) var failureCount: Int64 = 0

    /// SSRCs that one peer may use. A peer changes its SSRC if it collides with another.
    static let sourceCapacity = 8

    public init(_ key: MasterKey) throws(SRTPFailure) {
        cipher = try Cipher(SessionKeys(of: key, for: .rtcp), key.suite, .opens)
        identifier = key.identifier
    }

    /// Returns the compound packet, which is valid until the next call; `nil` if the packet is forged, a replay or not encrypted.
    @_lifetime(borrow self)
    public func opened(_ report: RawSpan) -> RawSpan? {
        guard let plain = plain(report) else { return nil }
        return _overrideLifetime(plain.bytes, borrowing: self)
    }

    /// The same as `opened`; valid until the next call.
    func plain(_ report: RawSpan) -> UnsafeRawBufferPointer? {
        switch report.withUnsafeBytes({ open($0) }) {
        case .opened(let byteCount): return memory.prefix(byteCount)
        case .received: return nil
        case .failed:
            failureCount += 1
            return nil
        }
    }

    private enum Outcome {
        case opened(byteCount: Int)
        /// A replay.
        case received
        case failed
    }

    private func open(_ report: UnsafeRawBufferPointer) -> Outcome {
        guard
            let layout = SRTCPLayout(
                cipher.suite, byteCount: report.count, identifierByteCount: identifier.count)
        else { return .failed }
        let word = UInt32(bigEndian: report.loadUnaligned(fromByteOffset: layout.indexOffset, as: UInt32.self))
        let source = SRTCPLayout.source(of: report)
        let index = UInt64(word & SRTCPLayout.lastIndex)
        guard word & SRTCPLayout.encryptedFlag != 0, report[layout.identifierRange].elementsEqual(identifier),
            windows[source] != nil || windows.count < Self.sourceCapacity
        else { return .failed }
        guard windows[source]?.accepts(index) ?? true else { return .received }
        guard decrypt(report, layout, index: index, source: source) else { return .failed }
        windows[source, default: ReplayWindow()].markReceived(index)
        return .opened(byteCount: SRTCPLayout.headerByteCount + layout.bodyByteCount)
    }

    /// Decrypts a packet into the memory; false if its authentication fails.
    private func decrypt(
        _ report: UnsafeRawBufferPointer, _ layout: SRTCPLayout, index: UInt64, source: UInt32
    ) -> Bool {
        let headerByteCount = SRTCPLayout.headerByteCount
        let plain = memory.reserve(headerByteCount + layout.bodyByteCount)
        guard let start = plain.baseAddress else { return false }
        let header = UnsafeRawBufferPointer(rebasing: report[..<headerByteCount])
        plain.copyMemory(from: header)
        func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: report[offset..<(offset + count)])
        }
        return cipher.open(
            part(headerByteCount, layout.bodyByteCount), tag: part(layout.tagOffset, cipher.suite.tagByteCount),
            index: index, ssrc: source, header: header, trailer: part(layout.indexOffset, 4),
            to: start + headerByteCount)
    }
}

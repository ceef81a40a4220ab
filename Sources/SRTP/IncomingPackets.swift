import RTP

/// Opens the SRTP packets of a peer (RFC 3711, section 3.3), each packet once. Confined to its owner's thread.
///
/// Packets do not contain the rollover counter of their index, so it is guessed (``PacketWindow``). Opening allocates nothing, except
/// for a packet that is longer than all before it.
public final class IncomingPackets {
    private let cipher: Cipher
    private let identifier: [UInt8]
    /// The rollover counters of sources before their first packet; zero for others.
    private let rolloverCounters: [SSRC: UInt32]
    /// The sources whose packets have been authentic. There are few, so they are searched one by one.
    private var sources: [(ssrc: UInt32, window: PacketWindow)] = []
    private var memory = PlainMemory()
    /// Packets that were forged, or encrypted with another key, or not at all.
    public private(set) var failureCount: Int64 = 0

    public init(_ key: SenderKey) throws(SRTPFailure) {
        cipher = try Cipher(SessionKeys(of: key.key, for: .rtp), key.key.suite, .opens)
        identifier = key.key.identifier
        rolloverCounters = key.rolloverCounters
        sources.reserveCapacity(IncomingReports.sourceCapacity)
    }

    /// Returns the RTP packet, which is valid until the next call; `nil` if the packet is forged, a replay or not encrypted.
    @_lifetime(borrow self)
    public func opened(_ packet: RawSpan) -> RawSpan? {
        guard let plain = plain(packet) else { return nil }
        return _overrideLifetime(plain.bytes, borrowing: self)
    }

    /// The same as `opened`; valid until the next call.
    func plain(_ packet: RawSpan) -> UnsafeRawBufferPointer? {
        switch packet.withUnsafeBytes({ open($0) }) {
        case .opened(let packet):
            markReceived(packet)
            return memory.prefix(packet.byteCount)
        case .received: return nil
        case .failed:
            failureCount += 1
            return nil
        }
    }

    /// Whether a packet is authentic and has not been received. The packet may be opened afterwards.
    public func isAuthentic(_ packet: RawSpan) -> Bool {
        if case .opened = packet.withUnsafeBytes({ open($0) }) { true } else { false }
    }

    private struct OpenedPacket {
        let ssrc: UInt32
        let index: UInt64
        let byteCount: Int
    }

    private enum Outcome {
        case opened(OpenedPacket)
        /// It was received before, or it is older than the replay window.
        case received
        case failed
    }

    /// Decrypts a packet into the memory.
    private func open(_ packet: UnsafeRawBufferPointer) -> Outcome {
        guard
            let layout = SRTPLayout(of: packet, cipher.suite, identifierByteCount: identifier.count),
            hasOurKey(packet, layout), let window = window(of: layout.ssrc)
        else { return .failed }
        guard let candidates = window.candidates(for: layout.sequenceNumber) else { return .received }
        let byteCount = layout.bodyOffset + layout.bodyByteCount
        if let index = candidates.probable, decrypt(packet, layout, index: index) {
            return .opened(OpenedPacket(ssrc: layout.ssrc, index: index, byteCount: byteCount))
        }
        if let index = candidates.later, decrypt(packet, layout, index: index) {
            return .opened(OpenedPacket(ssrc: layout.ssrc, index: index, byteCount: byteCount))
        }
        return candidates.probable == nil ? .received : .failed
    }

    /// Whether the packet names our key. A loop, because the generic comparison of sequences allocates in debug builds.
    private func hasOurKey(_ packet: UnsafeRawBufferPointer, _ layout: SRTPLayout) -> Bool {
        for offset in identifier.indices
        where packet[layout.identifierRange.lowerBound + offset] != identifier[offset] { return false }
        return true
    }

    /// The received packets of a source; `nil` if there are too many sources.
    private func window(of ssrc: UInt32) -> PacketWindow? {
        if let place = place(of: ssrc) { return sources[place].window }
        guard sources.count < IncomingReports.sourceCapacity else { return nil }
        return PacketWindow(rolloverCounter: rolloverCounters[SSRC(ssrc)] ?? 0)
    }

    private func place(of ssrc: UInt32) -> Int? {
        for place in sources.indices where sources[place].ssrc == ssrc { return place }
        return nil
    }

    private func markReceived(_ packet: OpenedPacket) {
        if let place = place(of: packet.ssrc) { return sources[place].window.markReceived(packet.index) }
        var window = PacketWindow(rolloverCounter: 0)
        window.markReceived(packet.index)
        sources.append((packet.ssrc, window))
    }

    /// Decrypts a packet into the memory; false if its authentication fails.
    private func decrypt(_ packet: UnsafeRawBufferPointer, _ layout: SRTPLayout, index: UInt64) -> Bool {
        let plain = memory.reserve(layout.bodyOffset + layout.bodyByteCount)
        guard let start = plain.baseAddress else { return false }
        func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: packet[offset..<(offset + count)])
        }
        let header = part(0, layout.bodyOffset)
        plain.copyMemory(from: header)
        // The rollover counter is authenticated after the payload but not sent.
        var rollover = UInt32(truncatingIfNeeded: index >> 16).bigEndian
        return withUnsafeBytes(of: &rollover) { rollover in
            cipher.open(
                part(layout.bodyOffset, layout.bodyByteCount),
                tag: part(layout.tagOffset, cipher.suite.tagByteCount), index: index, ssrc: layout.ssrc, header: header,
                trailer: UnsafeRawBufferPointer(rebasing: rollover.prefix(cipher.suite == .gcm ? 0 : rollover.count)),
                to: start + layout.bodyOffset)
        }
    }
}

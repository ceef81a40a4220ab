import Wire

/// Assembles the sections of one PID from the payloads of its packets (ISO/IEC 13818-1, 2.4.4).
struct SectionReader: Hashable, Sendable {
    private var continuity = ContinuityCheck()
    /// The section that is not complete; `nil` outside of a section, and within one that is too long.
    private var open: [UInt8]?
    /// The bytes of the last section, which most tables repeat many times.
    private var last: [UInt8] = []

    /// Notes that more packets may be lost than the counter shows.
    mutating func recordLoss() {
        continuity.recordLoss()
    }

    /// - Returns: the sections that end in this packet, except for those that only repeat the one before.
    mutating func receive(_ header: TransportPacketHeader, _ packet: RawSpan) -> [Section] {
        guard let start = header.payloadStart, !header.isScrambled else { return [] }
        switch continuity.step(to: header.continuity, isDiscontinuity: header.adaptation.isDiscontinuity) {
        case .duplicate: return []
        case .gap: open = nil
        case .next: break
        }
        var reader = ByteReader(packet.extracting(start..<packet.byteCount))
        var sections: [Section] = []
        if header.startsUnit {
            // The rest of a section before the first that begins here.
            guard let pointer = reader.uint8(), let rest = reader.take(Int(pointer)) else {
                open = nil
                return []
            }
            append(rest, to: &sections)
            open = []
        }
        append(reader.takeRest(), to: &sections)
        return sections
    }

    private mutating func append(_ bytes: RawSpan, to sections: inout [Section]) {
        guard var section = open else { return }
        open = nil
        section.append(bytes)
        while let first = section.first {
            // Behind the last section that begins in a packet there is stuffing.
            if first == 0xFF { return }
            guard section.count >= 3 else { break }
            let byteCount = 3 + Int(section[1] & 0x0F) << 8 + Int(section[2])
            guard byteCount <= Section.maximumByteCount else { return }
            guard section.count >= byteCount else { break }
            complete(Array(section[..<byteCount]), to: &sections)
            section.removeFirst(byteCount)
        }
        // Another section begins only in a packet that says so.
        if !section.isEmpty { open = section }
    }

    private mutating func complete(_ bytes: [UInt8], to sections: inout [Section]) {
        guard bytes != last, let section = Section(parsing: bytes) else { return }
        last = bytes
        sections.append(section)
    }
}

import Wire

/// A program map section: the elementary streams of one program (ISO/IEC 13818-1, 2.4.4.8).
struct ProgramMap: Hashable, Sendable {
    struct Entry: Hashable {
        let pid: PacketIdentifier
        let content: StreamContent
    }

    let program: UInt16
    /// The PID whose packets carry the clock.
    let clock: PacketIdentifier
    let entries: [Entry]

    /// `nil` for another table, one that is not valid yet, or one that is cut short.
    init?(_ section: Section) {
        guard section.table == .programMap, section.isCurrent else { return nil }
        program = section.identifier
        var reader = ByteReader(section.body.rawSpan)
        guard let pid = reader.uint16(), let length = reader.uint16(), reader.skip(Int(length & 0xFFF)) else {
            return nil
        }
        clock = PacketIdentifier(lowBitsOf: pid)
        var entries: [Entry] = []
        while let type = reader.uint8() {
            guard let pid = reader.uint16(), let length = reader.uint16(),
                let descriptors = reader.take(Int(length & 0xFFF))
            else { return nil }
            entries.append(
                Entry(
                    pid: PacketIdentifier(lowBitsOf: pid),
                    content: StreamContent(type: type, descriptors: Descriptors(descriptors))))
        }
        self.entries = entries
    }
}

import Wire

/// A program association section: where the program maps are (ISO/IEC 13818-1, 2.4.4.3).
struct ProgramAssociation: Hashable, Sendable {
    struct Entry: Hashable {
        let program: UInt16
        let map: PacketIdentifier
    }

    let version: UInt8
    let entries: [Entry]

    /// `nil` for another table, or one that is not valid yet.
    init?(_ section: Section) {
        guard section.table == .programAssociation, section.isCurrent else { return nil }
        version = section.version
        var (entries, reader) = ([Entry](), ByteReader(section.body.rawSpan))
        while let program = reader.uint16(), let pid = reader.uint16() {
            // Program 0 is the network information table.
            if program != 0 { entries.append(Entry(program: program, map: PacketIdentifier(lowBitsOf: pid))) }
        }
        self.entries = entries
    }
}

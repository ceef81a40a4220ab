import Wire

/// Finds the program of a transport stream that is received: the first one whose map has come and has a stream that can be received.
///
/// A stream of one program has one map. Of a multiplex of which a receiver has asked for one program, the association table lists all
/// maps, but only one of them comes.
struct ProgramSelection: Sendable {
    /// The most maps that are looked for: more than any multiplex has programs.
    private static let maximumMapCount = 64

    private struct Map: Hashable {
        let program: UInt16
        var reader = SectionReader()
    }

    private var association = SectionReader()
    private var associationVersion: UInt8?
    private var maps: [PacketIdentifier: Map] = [:]
    /// The map of the selected program.
    private(set) var selected: ProgramMap?
    /// The names of the formats in the last map of a program that cannot be received.
    private(set) var unsupported: [String] = []

    /// Whether the packets of this PID are those of a table.
    func reads(_ pid: PacketIdentifier) -> Bool { pid == .programAssociation || maps[pid] != nil }

    /// Notes that more packets may be lost than the counters show.
    mutating func recordLoss() {
        association.recordLoss()
        for pid in maps.keys { maps[pid]?.reader.recordLoss() }
    }

    /// A packet of a table has come.
    ///
    /// - Returns: whether another program is selected now, or the selected one has changed.
    mutating func receive(_ header: TransportPacketHeader, _ packet: RawSpan) -> Bool {
        if header.pid == .programAssociation {
            for section in association.receive(header, packet) { ProgramAssociation(section).map { associate($0) } }
            return false
        }
        let former = selected
        for section in maps[header.pid]?.reader.receive(header, packet) ?? [] {
            guard let map = ProgramMap(section), map.program == maps[header.pid]?.program else { continue }
            select(map)
        }
        return selected != former
    }

    private mutating func associate(_ table: ProgramAssociation) {
        // Several sections of one version add up.
        if table.version != associationVersion {
            let listed = Set(table.entries.map(\.map))
            maps = maps.filter { listed.contains($0.key) }
        }
        associationVersion = table.version
        for entry in table.entries where maps.count < Self.maximumMapCount {
            if maps[entry.map]?.program != entry.program { maps[entry.map] = Map(program: entry.program) }
        }
    }

    private mutating func select(_ map: ProgramMap) {
        let isSupported = map.entries.contains { $0.content.codec != nil }
        if !isSupported { unsupported = map.entries.map(\.content.name) }
        // A program that is no longer listed gives way to another.
        let isListed = maps.values.contains { $0.program == selected?.program }
        guard map.program == selected?.program || isSupported && !isListed else { return }
        selected = map
    }
}

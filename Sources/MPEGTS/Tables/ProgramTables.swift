import Wire

/// The tables that a receiver needs first: the program, and the PIDs of its streams (ISO/IEC 13818-1, 2.4.4). Each table is one
/// section in one packet.
struct ProgramTables: Sendable {
    /// Both tables are always sent together, so one counter serves both PIDs.
    var counter = ContinuityCounter()
    private let association: [UInt8]
    private let map: [UInt8]

    static let packetCount = 2

    /// - Parameter streams: the leading stream, which carries the clock, first; few enough that the map fits one packet.
    init(streams: [ElementaryStream]) {
        association = Self.body(ofSection: Self.association)
        map = Self.body(ofSection: Self.map(of: streams))
    }

    /// Writes one packet per table.
    @_lifetime(output: copy output)
    func write(to output: inout OutputRawSpan) {
        TransportPacket.writeHeader(
            .programAssociation, startsUnit: true, content: .payload, continuity: counter.next, to: &output)
        output.append(association.rawSpan)
        TransportPacket.writeHeader(
            .programMap, startsUnit: true, content: .payload, continuity: counter.next, to: &output)
        output.append(map.rawSpan)
    }

    // MARK: - Sections

    /// program_association_section() (2.4.4.3): program 1 of transport stream 1.
    private static var association: [UInt8] {
        var content = ByteWriter()
        content.uint16(1)
        content.uint16(0xE000 | PacketIdentifier.programMap.rawValue)
        return section(table: 0x00, identifier: 1, content: content.bytes)
    }

    /// TS_program_map_section() (2.4.4.8), without descriptors of the program.
    private static func map(of streams: [ElementaryStream]) -> [UInt8] {
        var content = ByteWriter()
        content.uint16(0xE000 | (streams.first?.pid ?? .null).rawValue)
        content.uint16(0xF000)
        for stream in streams {
            content.uint8(stream.type)
            content.uint16(0xE000 | stream.pid.rawValue)
            // ES_info_length: few bytes, because the map fits one packet.
            content.uint16(0xF000 | UInt16(stream.framing.descriptors.count))
            content.append(stream.framing.descriptors)
        }
        return section(table: 0x02, identifier: 1, content: content.bytes)
    }

    /// Writes the common header (version 0, valid now), the content, and the checksum.
    private static func section(table: UInt8, identifier: UInt16, content: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(table)
        // section_syntax_indicator, reserved bits, and the number of bytes that follow: 5 of the header, 4 of the checksum.
        writer.uint16(0xB000 | UInt16(5 + content.count + 4))
        writer.uint16(identifier)
        writer.uint8(0xC1)
        writer.uint16(0)
        writer.append(content)
        writer.uint32(cyclicRedundancyCheck(writer.bytes))
        return writer.bytes
    }

    /// The section behind its pointer field, stuffed to the end of the packet.
    private static func body(ofSection section: [UInt8]) -> [UInt8] {
        [0] + section + [UInt8](repeating: 0xFF, count: TransportPacket.bodyByteCount - 1 - section.count)
    }
}

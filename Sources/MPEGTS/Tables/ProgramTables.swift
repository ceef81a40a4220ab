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
        association = Self.packetBody(of: Self.association)
        map = Self.packetBody(of: Self.map(of: streams))
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
    private static var association: Section {
        var body = ByteWriter()
        body.uint16(1)
        body.uint16(0xE000 | PacketIdentifier.programMap.rawValue)
        return Section(.programAssociation, identifier: 1, body: body.bytes)
    }

    /// TS_program_map_section() (2.4.4.8), without descriptors of the program.
    private static func map(of streams: [ElementaryStream]) -> Section {
        var body = ByteWriter()
        body.uint16(0xE000 | (streams.first?.pid ?? .null).rawValue)
        body.uint16(0xF000)
        for stream in streams {
            body.uint8(stream.type)
            body.uint16(0xE000 | stream.pid.rawValue)
            // ES_info_length: few bytes, because the map fits one packet.
            body.uint16(0xF000 | UInt16(stream.framing.descriptors.count))
            body.append(stream.framing.descriptors)
        }
        return Section(.programMap, identifier: 1, body: body.bytes)
    }

    /// The section behind its pointer field, stuffed to the end of the packet.
    private static func packetBody(of section: Section) -> [UInt8] {
        let bytes = section.bytes
        return [0] + bytes + [UInt8](repeating: 0xFF, count: TransportPacket.bodyByteCount - 1 - bytes.count)
    }
}

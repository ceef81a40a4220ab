import Wire

/// A section of a table with its common header (ISO/IEC 13818-1, 2.4.4.11).
///
/// ```
/// +----------+----------------+------------+---------+----------+---------------+------+--------+
/// | table_id | 1, …, length   | identifier | version | valid    | number, last  | body | CRC_32 |
/// | 8 bits   | 4 and 12 bits  | 16 bits    | 5 bits  | now, 1   | 8 bits each   |      | 32     |
/// +----------+----------------+------------+---------+----------+---------------+------+--------+
/// ```
struct Section: Hashable, Sendable {
    /// The kinds of tables that are written and read (table 2-31; ETSI EN 300 468, table 2).
    enum Table: UInt8 {
        case programAssociation = 0x00
        case programMap = 0x02
        /// Of the transport stream that contains it. It is not written.
        case serviceDescription = 0x42
    }

    let table: Table
    /// transport_stream_id or program_number.
    let identifier: UInt16
    var version: UInt8 = 0
    /// Whether the table is valid now, or only announced.
    var isCurrent = true
    let body: [UInt8]

    /// Bytes of the header and of the checksum.
    private static let (headerByteCount, checksumByteCount) = (8, 4)
    /// A section of these tables has at most 1021 bytes behind its length (2.4.4.4 and 2.4.4.9).
    static let maximumByteCount = 1_024

    init(_ table: Table, identifier: UInt16, body: [UInt8]) {
        (self.table, self.identifier, self.body) = (table, identifier, body)
    }

    /// The section with its checksum: the only one of its table.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.uint8(table.rawValue)
        // section_syntax_indicator, reserved bits, and the number of bytes behind this field.
        writer.uint16(0xB000 | UInt16(Self.headerByteCount - 3 + body.count + Self.checksumByteCount))
        writer.uint16(identifier)
        writer.uint8(0xC0 | version << 1 | (isCurrent ? 1 : 0))
        writer.uint16(0)
        writer.append(body)
        writer.uint32(cyclicRedundancyCheck(writer.bytes))
        return writer.bytes
    }

    /// `nil` for another table, and if the checksum is wrong.
    init?(parsing bytes: [UInt8]) {
        var reader = ByteReader(bytes.rawSpan)
        guard let table = reader.uint8().flatMap(Table.init), let length = reader.uint16(), length & 0x8000 != 0,
            Int(length & 0xFFF) == reader.remaining, let identifier = reader.uint16(), let flags = reader.uint8(),
            reader.skip(2), let body = reader.take(reader.remaining - Self.checksumByteCount),
            cyclicRedundancyCheck(bytes) == 0
        else { return nil }
        self.init(table, identifier: identifier, body: [UInt8](body))
        version = flags >> 1 & 0x1F
        isCurrent = flags & 1 != 0
    }
}

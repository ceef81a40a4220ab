import Wire

/// The header of a transport packet (ISO/IEC 13818-1, 2.4.3.2).
///
/// ```
/// +-----------+-----+---------+-----+------------+------------+-------------+------------+
/// | sync 0x47 | TEI | PUSI    | pri | PID        | scrambling | adaptation, | continuity |
/// | 8 bits    | 0   | 1 bit   | 0   | 13 bits    | 00         | payload     | 4 bits     |
/// +-----------+-----+---------+-----+------------+------------+-------------+------------+
/// ```
public enum TransportPacket {
    /// Bytes of every packet.
    public static let byteCount = 188
    static let syncByte: UInt8 = 0x47
    /// Bytes behind the header.
    static let bodyByteCount = 184

    enum Content: UInt8 {
        case payload = 0x10
        case adaptation = 0x20
        case both = 0x30
    }

    /// - Parameter startsUnit: whether a PES packet or a section begins in the payload.
    @_lifetime(output: copy output)
    static func writeHeader(
        _ pid: PacketIdentifier, startsUnit: Bool, content: Content, continuity: UInt8, to output: inout OutputRawSpan
    ) {
        output.append(syncByte)
        output.append(word: pid.rawValue | (startsUnit ? 0x4000 : 0))
        output.append(content.rawValue | continuity)
    }

    /// A null packet, which receivers ignore (2.4.3.3).
    @_lifetime(output: copy output)
    public static func writeNull(to output: inout OutputRawSpan) {
        writeHeader(.null, startsUnit: false, content: .payload, continuity: 0, to: &output)
        output.append(repeating: 0xFF, count: bodyByteCount)
    }

    /// A packet with only an adaptation field. It repeats the continuity counter of the previous packet.
    @_lifetime(output: copy output)
    static func write(
        _ field: AdaptationField, on pid: PacketIdentifier, after counter: ContinuityCounter,
        to output: inout OutputRawSpan
    ) {
        writeHeader(pid, startsUnit: false, content: .adaptation, continuity: counter.last, to: &output)
        field.write(stuffedTo: bodyByteCount, to: &output)
    }
}

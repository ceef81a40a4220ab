/// A packet identifier (PID), 13 bits: the stream of the multiplex that a transport packet belongs to (ISO/IEC 13818-1, 2.4.3.3).
public struct PacketIdentifier: Hashable, Sendable {
    /// 0…0x1FFF.
    public let rawValue: UInt16

    /// Only the low 13 bits are used.
    public init(lowBitsOf value: UInt16) {
        rawValue = value & 0x1FFF
    }

    /// Program association table.
    public static let programAssociation = Self(lowBitsOf: 0)
    /// Service description table (ETSI EN 300 468, table 1).
    public static let serviceDescription = Self(lowBitsOf: 0x11)
    /// The program map table of the one program. Any free PID is possible (0x0010…0x1FFE).
    public static let programMap = Self(lowBitsOf: 0x1000)
    /// The leading stream. The other streams follow.
    public static let firstStream = Self(lowBitsOf: 0x0100)
    /// Null packets.
    public static let null = Self(lowBitsOf: 0x1FFF)
}

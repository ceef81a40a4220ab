/// Which stream of the multiplex a transport packet belongs to: the PID, 13 bits (ISO/IEC 13818-1, 2.4.3.3).
public struct PacketIdentifier: Hashable, Sendable {
    /// 0…0x1FFF.
    public let rawValue: UInt16

    /// Of which only the low 13 bits count.
    public init(lowBitsOf value: UInt16) {
        rawValue = value & 0x1FFF
    }

    /// Program association table.
    public static let programAssociation = Self(lowBitsOf: 0)
    /// Program map table of the one program: any free number would do (0x0010…0x1FFE).
    public static let programMap = Self(lowBitsOf: 0x1000)
    /// The leading stream; the others follow.
    public static let firstStream = Self(lowBitsOf: 0x0100)
    /// Packets that say nothing.
    public static let null = Self(lowBitsOf: 0x1FFF)
}

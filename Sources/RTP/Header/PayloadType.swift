/// The payload type of a packet, a number that the session description maps to a format (RFC 3550, section 5.1).
public struct PayloadType: Hashable, Sendable, BitwiseCopyable {
    /// 0 to 127.
    public let rawValue: UInt8

    /// `nil` above 127: the field has seven bits.
    @inlinable
    public init?(_ rawValue: UInt8) {
        guard rawValue <= 127 else { return nil }
        self.rawValue = rawValue
    }

    /// Uses the low seven bits of `octet`; the eighth is the marker bit.
    @inlinable
    public init(lowBitsOf octet: UInt8) {
        rawValue = octet & 0x7F
    }

    /// MP2T: an MPEG transport stream, on a clock of 90 kHz (RFC 2250, section 2; RFC 3551, section 6).
    public static let transportStream = PayloadType(lowBitsOf: 33)
}

import Wire

/// REMB: the rate that a receiver estimates its path to carry, which its senders must not exceed together
/// (draft-alvestrand-rmcat-remb-03, section 2.2).
///
/// ```
/// |  unique identifier 'R' 'E' 'M' 'B'                            |
/// |  sources      |  exponent |  mantissa (18 bits)               |
/// |  source …                                                     |
/// ```
public struct BitrateLimit: Hashable, Sendable {
    public var bitsPerSecond: UInt64
    /// The sources that share the rate; at most 255 are written.
    public var sources: [SSRC]

    public init(bitsPerSecond: UInt64, sources: [SSRC]) {
        (self.bitsPerSecond, self.sources) = (bitsPerSecond, sources)
    }

    private static let identifier: UInt32 = 0x5245_4D42
    private static let mantissaBits = 18
    private static let maximum = UInt64.max << UInt64(UInt64.bitWidth - mantissaBits)

    /// `nil` if it is malformed, or another application's message (RFC 4585, section 6.4).
    @_lifetime(reader: copy reader)
    init?(_ reader: inout ByteReader) {
        guard reader.uint32() == Self.identifier, let count = reader.uint8(), let rate = reader.uint24() else {
            return nil
        }
        let exponent = rate >> UInt32(Self.mantissaBits)
        let mantissa = UInt64(rate & (1 << UInt32(Self.mantissaBits) - 1))
        // A rate that does not fit in 64 bits becomes the largest that can be written.
        let shifted = mantissa << UInt64(exponent)
        bitsPerSecond = shifted >> UInt64(exponent) == mantissa ? shifted : Self.maximum
        sources = []
        for _ in 0..<count {
            guard let source = reader.uint32() else { return nil }
            sources.append(SSRC(source))
        }
    }

    /// Writes the message. Rates from 2¹⁸ bit/s on are rounded down to 18 significant bits.
    func write(to writer: inout ByteWriter) {
        let sources = sources.prefix(255)
        let exponent = max(0, UInt64.bitWidth - bitsPerSecond.leadingZeroBitCount - Self.mantissaBits)
        writer.uint32(Self.identifier)
        writer.uint8(UInt8(sources.count))
        writer.uint24(UInt32(exponent) << UInt32(Self.mantissaBits) | UInt32(bitsPerSecond >> UInt64(exponent)))
        for source in sources { writer.uint32(source.rawValue) }
    }
}

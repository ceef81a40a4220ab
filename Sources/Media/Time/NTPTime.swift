/// A wall-clock time in RTCP's format: seconds since 1900 and a 32-bit fraction (RFC 3550, section 4).
public struct NTPTime: Hashable, Sendable, BitwiseCopyable {
    /// Seconds in the high 32 bits (they wrap in 2036), the fraction of a second in the low 32.
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Seconds from 1900 to 1970.
    private static let unixEpoch: Int64 = 2_208_988_800

    /// The instant `nanoseconds` after 1970-01-01 00:00 UTC.
    public init(unixNanoseconds nanoseconds: Int64) {
        var (floor, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest < 0 { (floor, rest) = (floor - 1, rest + 1_000_000_000) }
        // rest < 10⁹ < 2³⁰, so the shifted value fits in 62 bits.
        let fraction = (UInt64(rest) << 32) / 1_000_000_000
        self.rawValue = UInt64(truncatingIfNeeded: floor &+ Self.unixEpoch) << 32 | fraction
    }

    /// Nanoseconds since 1970, for instants from 1968 to 2104 (era rule of RFC 4330, section 3).
    public var unixNanoseconds: Int64 {
        let seconds = Int64(rawValue >> 32)
        let era = seconds < 0x8000_0000 ? seconds + 0x1_0000_0000 : seconds
        let fraction = ((rawValue & 0xFFFF_FFFF) * 1_000_000_000 + 0x8000_0000) >> 32
        return (era - Self.unixEpoch) * 1_000_000_000 + Int64(fraction)
    }

    /// The middle 32 bits, which receiver reports return as LSR (RFC 3550, section 6.4.1).
    public var middle: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }
}

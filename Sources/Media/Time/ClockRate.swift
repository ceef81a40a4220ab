/// The rate of a media clock in ticks per second.
public struct ClockRate: Hashable, Sendable, CustomStringConvertible {
    /// Hertz, positive.
    public let hertz: Int32

    /// `nil` unless `hertz` is positive.
    public init?(hertz: Int32) {
        guard hertz > 0 else { return nil }
        self.hertz = hertz
    }

    private init(known hertz: Int32) {
        self.hertz = hertz
    }

    /// 90 kHz, the clock of all video payload formats (RFC 3551, section 5).
    public static let video = ClockRate(known: 90_000)
    /// 8 kHz, the clock of telephony.
    public static let telephony = ClockRate(known: 8_000)
    /// 48 kHz, the usual clock of AAC and Opus.
    public static let audio48k = ClockRate(known: 48_000)

    public var description: String { "\(hertz) Hz" }

    /// Ticks in `nanoseconds`, rounded down; exact for up to three centuries.
    public func ticks(inNanoseconds nanoseconds: Int64) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainderFloored(dividingBy: 1_000_000_000)
        // rest < 10⁹ and hertz < 2³¹: the product stays under 2⁶¹.
        return seconds &* Int64(hertz) &+ rest * Int64(hertz) / 1_000_000_000
    }

    /// Nanoseconds in `ticks`, rounded down.
    public func nanoseconds(inTicks ticks: Int64) -> Int64 {
        let (seconds, rest) = ticks.quotientAndRemainderFloored(dividingBy: Int64(hertz))
        return seconds &* 1_000_000_000 &+ rest * 1_000_000_000 / Int64(hertz)
    }
}

extension Int64 {
    /// Quotient rounded towards minus infinity, and the remainder, which is never negative.
    fileprivate func quotientAndRemainderFloored(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

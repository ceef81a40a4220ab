/// An instant on a stream's capture clock, in ticks of a track's clock rate since the stream's epoch.
///
/// All tracks of a stream have the same epoch, so times of different tracks are compared in nanoseconds.
public struct MediaTime: Hashable, Sendable {
    public var ticks: Int64
    public let rate: ClockRate

    public init(ticks: Int64, rate: ClockRate) {
        self.ticks = ticks
        self.rate = rate
    }

    /// The instant `nanoseconds` after the epoch, rounded down to a tick.
    public init(nanoseconds: Int64, rate: ClockRate) {
        self.init(ticks: rate.ticks(inNanoseconds: nanoseconds), rate: rate)
    }

    /// Nanoseconds since the epoch, rounded down.
    public var nanoseconds: Int64 { rate.nanoseconds(inTicks: ticks) }

    /// The low 32 bits of the ticks: the RTP timestamp without its random offset (RFC 3550, section 5.1).
    public var rtpTicks: UInt32 { UInt32(truncatingIfNeeded: ticks) }

    /// The time in ticks of another clock, rounded down once. (A conversion through nanoseconds would round twice.)
    public func converted(to other: ClockRate) -> MediaTime {
        guard rate != other else { return self }
        let hertz = Int64(rate.hertz)
        var (seconds, rest) = ticks.quotientAndRemainder(dividingBy: hertz)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + hertz) }
        // Both factors are below 2³¹.
        let ticks = seconds &* Int64(other.hertz) &+ rest * Int64(other.hertz) / hertz
        return MediaTime(ticks: ticks, rate: other)
    }
}

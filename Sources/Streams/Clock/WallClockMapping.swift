import Media

/// Maps the monotonic capture clock to wall-clock time. A pure value.
///
/// Both clocks are slewed alike, so their difference changes only when the wall clock is stepped, as when a board without an RTC
/// finds NTP. The mapping follows a step of more than 50 ms on all tracks at once; RTP timestamps do not change.
public struct WallClockMapping: Sendable {
    /// Nanoseconds from the monotonic clock to the wall clock (since 1970).
    private var offset: Int64

    /// Smaller differences are measurement noise, in nanoseconds.
    private static let tolerance: Int64 = 50_000_000

    public init(_ reading: ClockReading) {
        offset = Self.offset(reading)
    }

    /// Handles a new reading of both clocks; true if the wall clock has stepped and the mapping follows.
    public mutating func sampled(_ reading: ClockReading) -> Bool {
        let sampled = Self.offset(reading)
        guard (sampled &- offset).magnitude > Self.tolerance.magnitude else { return false }
        offset = sampled
        return true
    }

    /// The wall-clock time of an instant.
    public func ntpTime(of instant: MonotonicTime) -> NTPTime {
        NTPTime(unixNanoseconds: instant.nanoseconds &+ offset)
    }

    private static func offset(_ reading: ClockReading) -> Int64 {
        reading.unixNanoseconds &- reading.monotonic.nanoseconds
    }
}

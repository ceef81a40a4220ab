import Media

/// How the monotonic capture clock maps to wall-clock time. A pure value.
///
/// Both clocks are slewed alike, so the difference is constant but for steps (a board without a clock chip finds NTP):
/// a step of more than 50 ms is followed, on all tracks at once; RTP timestamps never notice.
public struct WallClockMapping: Sendable {
    /// Nanoseconds from the monotonic clock to the wall clock (since 1970).
    private var offset: Int64

    /// Differences up to this are measuring noise, in nanoseconds.
    private static let tolerance: Int64 = 50_000_000

    public init(_ reading: ClockReading) {
        offset = Self.offset(reading)
    }

    /// Both clocks were read again; true if the wall clock has stepped and the mapping follows.
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

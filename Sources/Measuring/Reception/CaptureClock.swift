import Media

/// Maps the RTP timestamps of one track to wall-clock capture times, by its sender reports (RFC 3550, 6.4.1).
public struct CaptureClock: Sendable {
    private let rate: ClockRate
    private var anchor: (unixNanoseconds: Int64, timestamp: UInt32)?

    public init(rate: ClockRate) {
        self.rate = rate
    }

    /// Processes a sender report: `timestamp` and `time` denote the same instant.
    public mutating func received(time: NTPTime, timestamp: UInt32) {
        anchor = (time.unixNanoseconds, timestamp)
    }

    /// The capture time of the unit with this timestamp, in nanoseconds since 1970; `nil` before the first sender report.
    ///
    /// Valid for timestamps within half the timestamp's range of the report (6.6 hours of video).
    public func unixNanoseconds(of timestamp: UInt32) -> Int64? {
        guard let anchor else { return nil }
        let ticks = Int64(Int32(bitPattern: timestamp &- anchor.timestamp))
        return anchor.unixNanoseconds &+ rate.nanoseconds(inTicks: ticks)
    }
}

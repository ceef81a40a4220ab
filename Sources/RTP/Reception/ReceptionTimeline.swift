import Media

/// Maps the RTP timestamps of a source's tracks to the host's clock: when was each unit captured?
///
/// Without sender reports, arrivals decide: the unit with the least delay in the last 30 seconds counts as captured when it arrived,
/// and the RTP timestamps give the distance of all others from it. With reports, the reports decide. They relate the tracks to each
/// other, so audio and video stay in sync even if one is sent later. In their first ten seconds, reports may imply ages of up to
/// half a second; later, if their clocks have advanced alike (`ReportHistory`), of up to five. If the time of day in them is
/// believed (``SenderClockTrust``), it is the capture time; else only differences count. In the first two seconds corrections are
/// made at once. After that, corrections below 250 ms are made gradually; larger ones, and jumps of the timestamps, at once. A
/// capture time is never later than the arrival.
///
/// A plain value without a clock of its own. Times are nanoseconds.
public struct ReceptionTimeline: Sendable {
    /// A correction of at least this much is made at once.
    static let stepThreshold: Int64 = 250_000_000
    /// A timestamp that is ahead of its arrival by more than this, or behind earlier timestamps, is a jump.
    public static let jumpThreshold: Int64 = 1_000_000_000
    /// How long after its beginning a timeline follows each unit with a smaller delay at once: a server may send the units since the
    /// last keyframe in a burst.
    static let settlingTime: Int64 = 2_000_000_000
    /// Times from capture to arrival that sender reports may imply. Reports that imply another time are not used.
    static let plausibleAge: ClosedRange<Int64> = -250_000_000...5_000_000_000
    /// The same in the first ten seconds of reports: an encoder with lookahead holds frames for less than half a second.
    static let plausibleUntriedAge: ClosedRange<Int64> = -250_000_000...500_000_000
    /// A gradual correction changes the offset by one nanosecond in 200: by 0.5 % of the elapsed time, which is neither seen nor
    /// heard.
    static let slewDivisor: Int64 = 200

    private var tracks: [TrackTimeline]
    private var clock: SenderClock

    /// - Parameters:
    ///   - clockRates: of the tracks, by index.
    ///   - trust: whether the sender's time of day is believed.
    ///   - jumpThreshold: a larger step of the timestamps is a jump, in nanoseconds.
    public init(
        clockRates: [ClockRate], trust: SenderClockTrust = .auto, jumpThreshold: Int64 = Self.jumpThreshold
    ) {
        tracks = clockRates.map { TrackTimeline(clockRate: $0, jumpThreshold: jumpThreshold) }
        clock = SenderClock(trust: trust)
    }

    /// How often timestamps jumped, so that their track's timeline began anew.
    public var jumpCount: Int { tracks.reduce(0) { $0 + $1.jumpCount } }

    /// How often timestamps of this track jumped.
    public func jumpCount(track: Int) -> Int { tracks[track].jumpCount }

    /// How the track's capture times are determined at present.
    public func origin(track: Int) -> CaptureTimeOrigin { tracks[track].origin(clock) }

    /// By how much faster the track's RTP clock advances than the host's, in parts per million; `nil` in its first half minute.
    public func drift(track: Int) -> Double? { tracks[track].drift }

    /// By how many nanoseconds the sender's time of day is ahead of the host's, less the least delay of a report; `nil` without
    /// reports.
    public var senderClockAhead: Int64? { clock.ahead }

    /// When the unit with this timestamp was captured.
    ///
    /// - Parameters:
    ///   - rtpTimestamp: of a unit of the track, in the order of the packets.
    ///   - arrival: when its first packet came. Arrivals of a track never go back.
    public mutating func capture(of rtpTimestamp: UInt32, track: Int, arrival: MonotonicTime) -> MonotonicTime {
        tracks[track].capture(of: rtpTimestamp, arrival: arrival, clock: &clock)
    }

    /// The timestamps of a track have jumped, as the source says.
    mutating func jumped(track: Int) {
        tracks[track].jumped()
    }

    /// Another source (SSRC) sends the track from now on. Its timestamps have nothing to do with the earlier ones.
    mutating func beginAnew(track: Int) {
        tracks[track].beginAnew()
    }

    /// Notes a sender report of a track.
    ///
    /// - Parameter hostOffset: the host's monotonic time when its wall clock showed 0, in nanoseconds.
    public mutating func received(_ report: SenderReport, track: Int, arrival: MonotonicTime, hostOffset: Int64) {
        tracks[track].received(report, arrival: arrival)
        clock.received(report.ntpTime, arrival: arrival, hostOffset: hostOffset)
    }
}

import Media

/// When a source that ended is started again, and whether its end is worth a line in the log. A pure value.
///
/// Pauses double from 250 ms to 10 s; a source that ran for 10 s starts over at 250 ms. The same reason is
/// told once a minute.
struct RestartSchedule {
    /// What to do about an end.
    struct Verdict: Equatable {
        let pauseMilliseconds: Int64
        let report: Report
    }

    enum Report: Equatable {
        /// Tell it; so many ends for the same reason were left untold since the last time.
        case tell(untold: Int)
        case keepQuiet
    }

    static let firstPauseMilliseconds: Int64 = 250
    static let longestPauseMilliseconds: Int64 = 10_000
    /// A source that lasted this long was in order: its next trouble is a new one.
    static let healthyMilliseconds: Int64 = 10_000
    static let reportIntervalMilliseconds: Int64 = 60_000

    private var nextPause = firstPauseMilliseconds
    private var lastReport: (reason: String, at: MonotonicTime)?
    private var untold = 0

    /// The source ended, for `reason`, after it had started at `start`.
    mutating func ended(_ reason: String, startedAt start: MonotonicTime, at now: MonotonicTime) -> Verdict {
        if now - start >= Self.healthyMilliseconds * 1_000_000 { nextPause = Self.firstPauseMilliseconds }
        let pause = nextPause
        nextPause = min(pause * 2, Self.longestPauseMilliseconds)
        return Verdict(pauseMilliseconds: pause, report: report(reason, at: now))
    }

    private mutating func report(_ reason: String, at now: MonotonicTime) -> Report {
        if let last = lastReport, last.reason == reason,
            now < last.at.advanced(byMilliseconds: Self.reportIntervalMilliseconds)
        {
            untold += 1
            return .keepQuiet
        }
        defer { untold = 0 }
        let untoldOfThis = lastReport?.reason == reason ? untold : 0
        lastReport = (reason, now)
        return .tell(untold: untoldOfThis)
    }
}

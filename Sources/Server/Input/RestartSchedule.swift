import Media

/// When a source that ended is started again, and whether its end is worth a line in the log. A pure value.
///
/// Pauses double from 250 ms to 10 s; a source that ran for 10 s starts over at 250 ms. The same reason is
/// told once a minute.
struct RestartSchedule {
    /// What to do about an end.
    struct Decision: Equatable {
        let pauseMilliseconds: Int64
        let report: Report
    }

    enum Report: Equatable {
        /// Tell it; so many ends for the same reason were left untold since the last time.
        case log(unlogged: Int)
        case suppress
    }

    static let firstPauseMilliseconds: Int64 = 250
    static let longestPauseMilliseconds: Int64 = 10_000
    /// A source that lasted this long was in order: its next trouble is a new one.
    static let healthyMilliseconds: Int64 = 10_000
    static let reportIntervalMilliseconds: Int64 = 60_000

    private var nextPause = firstPauseMilliseconds
    private var lastReport: (reason: String, at: MonotonicTime)?
    private var unlogged = 0

    /// The source ended, for `reason`, after it had started at `start`.
    mutating func ended(_ reason: String, startedAt start: MonotonicTime, at now: MonotonicTime) -> Decision {
        if now - start >= Self.healthyMilliseconds * 1_000_000 { nextPause = Self.firstPauseMilliseconds }
        let pause = nextPause
        nextPause = min(pause * 2, Self.longestPauseMilliseconds)
        return Decision(pauseMilliseconds: pause, report: report(reason, at: now))
    }

    private mutating func report(_ reason: String, at now: MonotonicTime) -> Report {
        if let last = lastReport, last.reason == reason,
            now < last.at.advanced(byMilliseconds: Self.reportIntervalMilliseconds)
        {
            unlogged += 1
            return .suppress
        }
        defer { unlogged = 0 }
        let unloggedWithThisReason = lastReport?.reason == reason ? unlogged : 0
        lastReport = (reason, now)
        return .log(unlogged: unloggedWithThisReason)
    }
}

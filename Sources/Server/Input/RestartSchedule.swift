import Connecting
import Media

/// Decides when a source that has ended is started again, and whether the log reports its end. A pure value.
///
/// The pause doubles from 250 ms to 10 s. After a run of at least 10 s it is 250 ms again. Each pause is up to a quarter shorter or
/// longer, so that many sources that failed together do not all return together. The same reason is reported once a minute.
struct RestartSchedule {
    /// What to do when a source has ended.
    struct Decision: Equatable {
        let pauseMilliseconds: Int64
        let report: Report
    }

    enum Report: Equatable {
        /// Log the end. The number counts ends for the same reason that were not logged since the last one.
        case log(unlogged: Int)
        case suppress
    }

    static let firstPauseMilliseconds: Int64 = 250
    static let longestPauseMilliseconds: Int64 = 10_000
    /// After a run of this length, the next failure is treated as the first.
    static let healthyMilliseconds: Int64 = 10_000
    static let reportIntervalMilliseconds: Int64 = 60_000
    /// By which share of itself a pause is made longer; negative for shorter.
    static let jitter: ClosedRange<Double> = -0.25...0.25

    /// The pause after an answer that will hardly change soon. Servers and cameras lock an account after a few wrong passwords.
    static let refusalPauseMilliseconds: Int64 = 10_000
    /// The longest pause that a server may ask for (`Retry-After`). A server with a wrong value would never be asked again.
    static let longestRetrySeconds = 600

    /// The least pause after the end of a session with another server, in milliseconds.
    static func leastPause(after failure: SessionFailure) -> Int64 {
        let asked = Int64(min(failure.retrySeconds ?? 0, longestRetrySeconds)) * 1_000
        return switch failure.kind {
        case .passwordRequired, .wrongPassword, .untrustedCertificate, .deniedDestination, .refused:
            max(asked, refusalPauseMilliseconds)
        case .unsupportedTransport, .other: asked
        }
    }

    private var nextPause = firstPauseMilliseconds
    private var lastReport: (reason: String, at: MonotonicTime)?
    private var unlogged = 0

    /// The source ended, for `reason`, after it had started at `start`.
    ///
    /// - Parameters:
    ///   - leastPause: in milliseconds.
    ///   - jitter: a random number of ``jitter``.
    mutating func ended(
        _ reason: String, leastPause: Int64 = 0, jitter: Double = 0, startedAt start: MonotonicTime,
        at now: MonotonicTime
    ) -> Decision {
        if now - start >= Self.healthyMilliseconds * 1_000_000 { nextPause = Self.firstPauseMilliseconds }
        let pause = max(Int64(Double(nextPause) * (1 + jitter)), leastPause)
        nextPause = min(nextPause * 2, Self.longestPauseMilliseconds)
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

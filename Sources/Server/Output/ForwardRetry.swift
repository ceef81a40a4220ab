import Media
import RTSPClient

/// Decides when the server of a forward is tried again: as a source is restarted (`RestartSchedule`), with jitter; after a lasting
/// refusal not before 10 s; and not before the server's `Retry-After`. A pure value.
struct ForwardRetry {
    /// By which share of itself a pause is made longer; negative for shorter. So forwards that failed together do not all return
    /// together.
    static let jitter: ClosedRange<Double> = -0.25...0.25
    /// The pause after an answer that will hardly change soon, in milliseconds. Servers lock accounts after wrong passwords.
    static let refusalPauseMilliseconds: Int64 = 10_000
    /// The longest pause that a server may ask for. A server with a wrong value would never be asked again.
    static let longestRetrySeconds = 600

    private var schedule = RestartSchedule()

    /// A session has ended.
    ///
    /// - Parameters:
    ///   - start: when the server took the stream; `now` if it has not.
    ///   - jitter: a random number of ``jitter``.
    mutating func ended(
        _ end: ForwardEnd, startedAt start: MonotonicTime, at now: MonotonicTime, jitter: Double
    ) -> RestartSchedule.Decision {
        let decision = schedule.ended(end.description, startedAt: start, at: now)
        let pause = Int64(Double(decision.pauseMilliseconds) * (1 + jitter))
        return RestartSchedule.Decision(
            pauseMilliseconds: max(pause, end.leastPauseMilliseconds), report: decision.report)
    }
}

extension ForwardEnd {
    /// The least pause before the server is tried again, in milliseconds.
    fileprivate var leastPauseMilliseconds: Int64 {
        if case .session(.insecure(.untrusted)) = cause { return ForwardRetry.refusalPauseMilliseconds }
        guard let refusal else { return 0 }
        let isLasting = [.unauthorized, .forbidden, .notFound].contains(refusal.status)
        let asked = Int64(min(refusal.retrySeconds ?? 0, ForwardRetry.longestRetrySeconds)) * 1_000
        return max(asked, isLasting ? ForwardRetry.refusalPauseMilliseconds : 0)
    }
}

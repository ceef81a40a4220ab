import Media
import Synchronization

/// The state of a path's source at one moment, for `apus status`.
struct SourceCondition: Hashable, Sendable {
    enum State: String, CaseIterable, Hashable, Sendable, Codable {
        /// A run has started and has not published anything yet.
        case starting
        /// The current run has published media.
        case running
        /// The last run failed, and the next one has not published anything yet.
        case failing
        /// The input has ended and is not started again.
        case ended
        /// It runs on demand, and nothing needs the stream now.
        case sleeping
    }

    let state: State
    /// The start of this state.
    let since: MonotonicTime
    /// Why it is failing; `nil` in other states.
    var reason: String?
    /// When the source is started again; `nil` during a run, and after the end.
    var nextTry: MonotonicTime?
    /// How often the source was started again after a failure.
    var restartCount = 0
    /// The last failure, also of a source that has run again since; `nil` if it has never failed.
    var lastFailure: Failure?

    struct Failure: Hashable, Sendable {
        let reason: String
        let at: MonotonicTime
    }
}

/// Records the runs of one source. A pure value.
struct SourceRuns {
    /// The condition until the current run publishes something.
    private var condition: SourceCondition
    /// The start of the current run, or of the last one.
    private var start: MonotonicTime
    /// Bytes that had been published to the stream when the run began.
    private var bytesAtStart = 0
    private var restartCount = 0
    private var lastFailure: SourceCondition.Failure?
    /// Whether the last run has failed.
    private var hasFailed = false

    init(at now: MonotonicTime) {
        condition = SourceCondition(state: .starting, since: now)
        start = now
    }

    /// A run begins. After a failure, the condition remains `failing` until the run publishes something.
    mutating func started(at now: MonotonicTime, publishedBytes: Int) {
        if condition.state != .failing { condition = SourceCondition(state: .starting, since: now) }
        condition.nextTry = nil
        if hasFailed { restartCount += 1 }
        hasFailed = false
        (start, bytesAtStart) = (now, publishedBytes)
    }

    /// Nothing needs the stream, so no run begins.
    mutating func slept(at now: MonotonicTime) {
        condition = SourceCondition(state: .sleeping, since: now)
        bytesAtStart = .max
    }

    /// The run has failed.
    mutating func failed(
        _ reason: String, at now: MonotonicTime, nextTry: MonotonicTime, publishedBytes: Int
    ) {
        let isSameFailure = condition.state == .failing && publishedBytes == bytesAtStart
        condition = SourceCondition(
            state: .failing, since: isSameFailure ? condition.since : now, reason: reason, nextTry: nextTry)
        bytesAtStart = publishedBytes
        (hasFailed, lastFailure) = (true, SourceCondition.Failure(reason: reason, at: now))
    }

    /// The input of the run has ended.
    ///
    /// - Parameter nextTry: when it is started again; `nil` if it is not.
    mutating func ended(at now: MonotonicTime, nextTry: MonotonicTime?, publishedBytes: Int) {
        condition = SourceCondition(state: nextTry == nil ? .ended : .starting, since: now, nextTry: nextTry)
        bytesAtStart = publishedBytes
    }

    /// The condition now.
    ///
    /// - Parameter publishedBytes: all bytes that have been published to the stream.
    func condition(publishedBytes: Int) -> SourceCondition {
        var condition = publishedBytes > bytesAtStart ? SourceCondition(state: .running, since: start) : condition
        (condition.restartCount, condition.lastFailure) = (restartCount, lastFailure)
        return condition
    }
}

import Media
import Synchronization

/// The state of a path's source at one moment, for `apus status`.
struct SourceCondition: Hashable, Sendable {
    enum State: String, CaseIterable, Hashable, Sendable, Codable {
        /// A run has begun and has published nothing yet.
        case starting
        /// The current run has published media.
        case running
        /// The last run failed; the next one has published nothing yet.
        case failing
        /// The input has ended for good.
        case ended
    }

    let state: State
    /// Since when it has been in this state.
    let since: MonotonicTime
    /// Why it is failing; `nil` in other states.
    var reason: String?
    /// When the source is started again; `nil` while a run is under way, and after the end.
    var nextTry: MonotonicTime?
}

/// Records the runs of one source. A pure value.
struct SourceRuns {
    /// Of the state before the current run has published anything.
    private var condition: SourceCondition
    /// Start of the current run, or of the last one.
    private var start: MonotonicTime
    /// Bytes that the stream had been given when the run began.
    private var bytesAtStart = 0

    init(at now: MonotonicTime) {
        condition = SourceCondition(state: .starting, since: now)
        start = now
    }

    /// A run begins. A failure stands until the run publishes something.
    mutating func started(at now: MonotonicTime, publishedBytes: Int) {
        if condition.state != .failing { condition = SourceCondition(state: .starting, since: now) }
        condition.nextTry = nil
        (start, bytesAtStart) = (now, publishedBytes)
    }

    /// The run has failed.
    mutating func failed(
        _ reason: String, at now: MonotonicTime, nextTry: MonotonicTime, publishedBytes: Int
    ) {
        let isSameFailure = condition.state == .failing && publishedBytes == bytesAtStart
        condition = SourceCondition(
            state: .failing, since: isSameFailure ? condition.since : now, reason: reason, nextTry: nextTry)
        bytesAtStart = publishedBytes
    }

    /// The input of the run has ended.
    ///
    /// - Parameter nextTry: when it is started again; `nil` if it has ended for good.
    mutating func ended(at now: MonotonicTime, nextTry: MonotonicTime?, publishedBytes: Int) {
        condition = SourceCondition(state: nextTry == nil ? .ended : .starting, since: now, nextTry: nextTry)
        bytesAtStart = publishedBytes
    }

    /// The condition now, at which the stream has been given `publishedBytes` in all.
    func condition(publishedBytes: Int) -> SourceCondition {
        guard publishedBytes > bytesAtStart else { return condition }
        return SourceCondition(state: .running, since: start)
    }
}

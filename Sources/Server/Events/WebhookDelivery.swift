import Media
import Streams

/// Which event of a webhook is posted next, and when. A value without a clock and without threads.
///
/// ```
///           | 2xx  | refused (other 3xx, 4xx) | 408, 425, 429, 5xx, no answer
/// posting   | next | next; counted            | the same again, after 1, 2, 4 … 60 s
/// ```
/// An event that is posted again may have arrived before: receivers recognise it by its identifier. While a web server is away, its
/// events wait in the queue of their subscription, which drops the oldest.
struct WebhookDelivery: Sendable {
    enum Result: Hashable, Sendable {
        case accepted
        /// The web server does not want this event.
        case refused(reason: String)
        /// It may want it later.
        case failed(reason: String)
    }

    enum Order: Hashable, Sendable {
        case post(StreamEvent)
        case wait(until: MonotonicTime)
        /// Take the next event.
        case takeNext
    }

    struct Failure: Hashable, Sendable {
        let reason: String
        let at: MonotonicTime
    }

    /// The event that is posted, or will be again.
    private var current: StreamEvent?
    private(set) var nextTry: MonotonicTime?
    private var pause = firstPause

    private(set) var deliveredCount = 0
    private(set) var refusedCount = 0
    private(set) var failedCount = 0
    private(set) var lastFailure: Failure?

    /// In nanoseconds.
    private static let firstPause: Int64 = 1_000_000_000
    private static let longestPause: Int64 = 60_000_000_000

    /// Whether it has no event to post.
    var isIdle: Bool { current == nil }

    func next(at now: MonotonicTime) -> Order {
        guard let current else { return .takeNext }
        if let nextTry, now < nextTry { return .wait(until: nextTry) }
        return .post(current)
    }

    /// The next event was taken.
    mutating func took(_ event: StreamEvent) {
        current = event
        nextTry = nil
    }

    /// The answer to the event has come, or none.
    ///
    /// - Parameter jitter: 1 to 1.25, so that many servers do not return to a web server at once.
    mutating func ended(_ result: Result, jitter: Double, at now: MonotonicTime) {
        switch result {
        case .accepted: deliveredCount += 1
        case .refused(let reason):
            refusedCount += 1
            lastFailure = Failure(reason: reason, at: now)
        case .failed(let reason):
            failedCount += 1
            lastFailure = Failure(reason: reason, at: now)
            nextTry = now + Int64(Double(pause) * jitter)
            pause = min(2 * pause, Self.longestPause)
            return
        }
        (current, nextTry, pause) = (nil, nil, Self.firstPause)
    }
}

extension WebhookDelivery.Result {
    /// - Parameter status: of HTTP.
    init(status: Int) {
        switch status {
        case 200..<300: self = .accepted
        // Too slow, too early, too many.
        case 408, 425, 429, 500...: self = .failed(reason: "the answer was \(status)")
        default: self = .refused(reason: "the answer was \(status)")
        }
    }
}

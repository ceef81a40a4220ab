import Media

/// Limits how many keyframes are requested from an encoder: a burst, then one per interval.
///
/// Joins, picture loss indications and drops share the one limiter of a stream. Each IDR frame reduces quality (ten per second
/// cost 3 QP at 2 Mbit/s), so no number of joins may exceed this limit.
public struct KeyframeRequestLimiter: Sendable {
    public struct Limits: Hashable, Sendable {
        /// Requests that are granted at once.
        public var burst: Int
        /// Nanoseconds after which one more request is granted.
        public var interval: Int64

        public init(burst: Int = 3, interval: Int64 = 500_000_000) {
            self.burst = burst
            self.interval = interval
        }
    }

    private let limits: Limits
    private var tokens: Int
    private var lastRefill: MonotonicTime?
    /// Whether a granted request still waits for its keyframe, which will also serve further requests.
    private var isOutstanding = false

    public init(limits: Limits = Limits()) {
        self.limits = limits
        tokens = limits.burst
    }

    /// The answer to a request.
    public enum Answer: Hashable, Sendable {
        /// Request a keyframe from the encoder now.
        case granted
        /// A keyframe has been requested and has not arrived yet.
        case alreadyRequested
        /// Ask again at this instant.
        case notBefore(MonotonicTime)
    }

    /// Handles the request for a keyframe.
    public mutating func requested(at now: MonotonicTime) -> Answer {
        refill(at: now)
        if isOutstanding { return .alreadyRequested }
        guard tokens > 0 else { return .notBefore((lastRefill ?? now) + limits.interval) }
        tokens -= 1
        isOutstanding = true
        return .granted
    }

    /// Notes that a keyframe was published.
    public mutating func arrived() {
        isOutstanding = false
    }

    private mutating func refill(at now: MonotonicTime) {
        guard let last = lastRefill else {
            lastRefill = now
            return
        }
        guard limits.interval > 0 else { return tokens = limits.burst }
        let earned = (now - last) / limits.interval
        guard earned > 0 else { return }
        tokens = earned >= Int64(limits.burst - tokens) ? limits.burst : tokens + Int(earned)
        lastRefill = last + earned &* limits.interval
    }
}

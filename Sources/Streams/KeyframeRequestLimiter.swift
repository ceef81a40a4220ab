import Media

/// How many random access points may be asked of an encoder: a burst, then one per interval.
///
/// One budget per stream serves joins, picture loss indications and drops alike. Each IDR costs the picture quality
/// (ten a second cost 3 QP at 2 Mbit/s), so nobody's joining may take more than this.
public struct KeyframeRequestLimiter: Sendable {
    public struct Limits: Hashable, Sendable {
        /// Requests that are granted at once.
        public var burst: Int
        /// Nanoseconds after which one more is granted.
        public var interval: Int64

        public init(burst: Int = 3, interval: Int64 = 500_000_000) {
            self.burst = burst
            self.interval = interval
        }
    }

    private let limits: Limits
    private var tokens: Int
    private var lastRefill: MonotonicTime?
    /// Whether a granted request waits for its random access point: further ones are satisfied by the same.
    private var isOutstanding = false

    public init(limits: Limits = Limits()) {
        self.limits = limits
        tokens = limits.burst
    }

    /// What becomes of a request.
    public enum Answer: Hashable, Sendable {
        /// Ask the encoder now.
        case granted
        /// One is on its way already.
        case underWay
        /// Ask again at the instant.
        case notBefore(MonotonicTime)
    }

    /// Somebody needs a random access point.
    public mutating func requested(at now: MonotonicTime) -> Answer {
        refill(at: now)
        if isOutstanding { return .underWay }
        guard tokens > 0 else { return .notBefore((lastRefill ?? now) + limits.interval) }
        tokens -= 1
        isOutstanding = true
        return .granted
    }

    /// A random access point was published.
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

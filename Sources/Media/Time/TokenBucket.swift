/// Limits how often something happens, or how many bytes are sent: a burst, then a steady rate.
///
/// The bucket is full at first. From the first use on, tokens are earned at fixed instants; those that do not fit are lost. So a
/// span of *t* nanoseconds grants at most `burst` + rate × *t* tokens, rounded up. Pure: instants are passed in.
public struct TokenBucket: Hashable, Sendable {
    /// What a bucket holds and earns.
    public struct Limits: Hashable, Sendable {
        /// The tokens of a full bucket, at least 0.
        public let burst: Int64
        /// The tokens that are earned in each interval, positive.
        public let earned: Int64
        /// The interval in nanoseconds. At 0 the bucket is always full.
        public let interval: Int64

        public init(burst: Int64, earning earned: Int64 = 1, every interval: Int64) {
            precondition(burst >= 0 && earned > 0 && interval >= 0, "a bucket has a burst and a rate")
            precondition(!burst.multipliedReportingOverflow(by: interval).overflow, "a burst is earned in finite time")
            self.burst = burst
            self.earned = earned
            self.interval = interval
        }
    }

    private let limits: Limits
    private var tokens: Int64
    /// The instant at which the last token was earned, or that of the first use; `nil` before it.
    private var lastEarned: MonotonicTime?

    public init(_ limits: Limits) {
        self.limits = limits
        tokens = limits.burst
    }

    /// The tokens in the bucket; negative if it was overdrawn.
    public mutating func tokens(at now: MonotonicTime) -> Int64 {
        guard let last = lastEarned else {
            lastEarned = now
            return tokens
        }
        guard limits.interval > 0 else {
            tokens = limits.burst
            return tokens
        }
        earn(from: last, to: now)
        return tokens
    }

    /// Takes tokens, even if the bucket has fewer: the next ones that are earned replace those.
    public mutating func take(_ count: Int64 = 1) {
        tokens -= count
    }

    /// Takes one token if there is one.
    ///
    /// - Returns: whether a token was taken.
    public mutating func takeOne(at now: MonotonicTime) -> Bool {
        guard tokens(at: now) > 0 else { return false }
        take()
        return true
    }

    /// The instant at which the next token is earned, as of the last use; `nil` before the first use.
    public var nextToken: MonotonicTime? { lastEarned.map { $0 + duration(of: 1) } }

    private mutating func earn(from last: MonotonicTime, to now: MonotonicTime) {
        let elapsed = now - last
        guard elapsed > 0 else { return }
        let (product, isTooLong) = elapsed.multipliedReportingOverflow(by: limits.earned)
        // Then product / interval exceeds every possible burst.
        guard !isTooLong else {
            (tokens, lastEarned) = (limits.burst, now)
            return
        }
        let count = product / limits.interval
        guard count > 0 else { return }
        tokens = count >= limits.burst - tokens ? limits.burst : tokens + count
        // count × interval ≤ product, so it does not overflow.
        lastEarned = last + duration(of: count)
    }

    /// The nanoseconds in which `count` tokens are earned, rounded up, so that no token comes early.
    private func duration(of count: Int64) -> Int64 {
        let product = count * limits.interval
        return product / limits.earned + (product % limits.earned > 0 ? 1 : 0)
    }
}

import Media

/// Spreads a viewer's bytes over time: a burst, then a steady rate.
///
/// A client's default receive buffer holds 95 packets of 1 400 bytes, and packets that come faster than the client reads are
/// lost. At 5 MB/s nothing was lost with a reader that idles for 50 ms.
struct Pacer {
    /// How joins are paced on UDP.
    struct Limits: Hashable, Sendable {
        /// Bytes per second.
        var rate: Int64 = 5_000_000
        /// Bytes that may be sent at once.
        var burst: Int64 = 24_000
    }

    private var bytes: TokenBucket

    init(limits: Limits) {
        bytes = TokenBucket(.init(burst: limits.burst, earning: limits.rate, every: 1_000_000_000))
    }

    /// The bytes that may be sent now.
    mutating func bytesAllowed(at now: MonotonicTime) -> Int {
        Int(bytes.tokens(at: now))
    }

    /// Counts sent bytes. The last packet may overdraw the bucket.
    mutating func sent(_ byteCount: Int) {
        bytes.take(Int64(byteCount))
    }
}

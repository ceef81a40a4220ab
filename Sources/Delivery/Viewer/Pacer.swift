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

    private let limits: Limits
    private var allowance: Int64
    private var last: MonotonicTime

    init(limits: Limits, at now: MonotonicTime) {
        self.limits = limits
        allowance = limits.burst
        last = now
    }

    /// The bytes that may be sent now. Unused allowance accumulates up to the burst.
    mutating func bytesAllowed(at now: MonotonicTime) -> Int {
        // The elapsed time is capped at a second, so the product cannot overflow.
        let elapsed = min(max(0, now - last), 1_000_000_000)
        allowance = min(limits.burst, allowance + elapsed * limits.rate / 1_000_000_000)
        last = now
        return Int(allowance)
    }

    /// Counts sent bytes. The last packet may overdraw the allowance.
    mutating func sent(_ byteCount: Int) {
        allowance -= Int64(byteCount)
    }
}

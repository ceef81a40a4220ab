import Media

/// Computes how much a half-rate viewer may read: half of the rate that the steady viewers receive.
struct HalfRatePace {
    private var viewers = 0
    private var byteCount = 0
    private var windowStart: MonotonicTime?
    private var lastShare: MonotonicTime?
    private var bytesPerSecond: Double?

    private static let windowNanoseconds: Int64 = 1_000_000_000

    /// Whether the stream's rate is known.
    var isKnown: Bool { bytesPerSecond != nil }

    mutating func viewerJoined() {
        viewers += 1
    }

    /// Counts bytes that a steady viewer received.
    mutating func received(byteCount: Int) {
        self.byteCount += byteCount
    }

    /// The bytes that each half-rate viewer may read for the time since the last share, and the limit of its unused bytes;
    /// `nil` while the rate is unknown.
    mutating func share(at now: MonotonicTime) -> (byteCount: Int, limit: Int)? {
        measure(at: now)
        defer { lastShare = now }
        guard let bytesPerSecond, let lastShare else { return nil }
        let half = bytesPerSecond / 2
        // A reserve of a tenth of a second compensates for late ticks.
        return (Int(half * Double(now - lastShare) / 1e9), max(1_500, Int(half / 10)))
    }

    private mutating func measure(at now: MonotonicTime) {
        guard let windowStart else {
            self.windowStart = now
            return byteCount = 0
        }
        guard now - windowStart >= Self.windowNanoseconds, viewers > 0 else { return }
        let rate = Double(byteCount) / Double(viewers) / (Double(now - windowStart) / 1e9)
        // Averaged, so that one large frame does not determine the rate of a second.
        bytesPerSecond = bytesPerSecond.map { $0 * 0.8 + rate * 0.2 } ?? (rate > 0 ? rate : nil)
        self.windowStart = now
        byteCount = 0
    }
}

import Streams

/// A set of durations in nanoseconds, with exact quantiles. Values may be negative.
///
/// All values are kept, at eight bytes each; one run of `measure` fits in memory. Unlimited runs use `DurationHistogram`.
struct Distribution: Sendable {
    /// Ascending.
    let sorted: [Int64]

    init(_ nanoseconds: some Sequence<Int64>) {
        sorted = nanoseconds.sorted()
    }

    var isEmpty: Bool { sorted.isEmpty }

    /// The smallest value that `percent` percent of the values do not exceed; `nil` without values.
    func percentile(_ percent: Double) -> Int64? {
        guard !sorted.isEmpty else { return nil }
        let share = min(max(percent, 0), 100) / 100 * Double(sorted.count)
        // Compensates for rounding: 99.9 % of a thousand must be 999.
        let rank = (share - 1e-6).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }

    var median: Int64? { percentile(50) }

    var mean: Double? {
        isEmpty ? nil : sorted.reduce(0.0) { $0 + Double($1) } / Double(sorted.count)
    }

    var summary: DurationSummary? {
        guard let p50 = percentile(50), let p95 = percentile(95), let p99 = percentile(99), let last = sorted.last
        else {
            return nil
        }
        return DurationSummary(
            count: UInt64(sorted.count), p50: p50.milliseconds, p95: p95.milliseconds, p99: p99.milliseconds,
            max: last.milliseconds)
    }
}

extension Int64 {
    /// These nanoseconds in milliseconds.
    var milliseconds: Double { Double(self) / 1e6 }
}

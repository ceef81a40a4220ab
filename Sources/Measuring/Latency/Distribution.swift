import Streams

/// Durations, all of them: exact quantiles, negative values as they are. In nanoseconds.
///
/// What one run of `measure` collects fits in memory, at eight bytes each; where runs may be endless, `DurationHistogram` counts.
struct Distribution: Sendable {
    /// Ascending.
    let sorted: [Int64]

    init(_ nanoseconds: some Sequence<Int64>) {
        sorted = nanoseconds.sorted()
    }

    var isEmpty: Bool { sorted.isEmpty }

    /// The smallest value that so many percent of the values do not exceed; `nil` where there are none.
    func percentile(_ percent: Double) -> Int64? {
        guard !sorted.isEmpty else { return nil }
        let share = min(max(percent, 0), 100) / 100 * Double(sorted.count)
        // 99.9 % of a thousand is 999, but for the last binary digit.
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
    /// Of nanoseconds.
    var milliseconds: Double { Double(self) / 1e6 }
}

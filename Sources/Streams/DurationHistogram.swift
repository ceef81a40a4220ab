import Histogram

/// Durations by their distribution: constant memory, from a microsecond to ten minutes.
public struct DurationHistogram: Sendable {
    private static let longestMicroseconds: UInt64 = 600_000_000
    private var microseconds: Histogram<UInt64>

    /// - Parameter digits: significant ones: 3 take 180 kB, 2 take 20 kB.
    public init(digits: SignificantDigits = .three) {
        microseconds = Histogram(
            highestTrackableValue: Self.longestMicroseconds, numberOfSignificantValueDigits: digits)
    }

    /// Forgets all; the memory stays.
    public mutating func reset() {
        microseconds.reset()
    }

    /// Adds one duration; negative ones count as zero, longer ones as ten minutes.
    public mutating func record(nanoseconds: Int64) {
        microseconds.record(min(UInt64(max(0, nanoseconds)) / 1_000, Self.longestMicroseconds))
    }

    /// The quantiles that reports print; `nil` where nothing was recorded.
    public var summary: DurationSummary? {
        guard microseconds.totalCount > 0 else { return nil }
        func milliseconds(_ percentile: Double) -> Double {
            // The histogram answers with the upper end of a value's bucket, which may lie above the largest value.
            Double(min(microseconds.valueAtPercentile(percentile), microseconds.max)) / 1_000
        }
        return DurationSummary(
            count: UInt64(microseconds.totalCount), p50: milliseconds(50), p95: milliseconds(95),
            p99: milliseconds(99), max: milliseconds(100))
    }
}

/// A distribution in five numbers: how many, and quantiles in milliseconds.
public struct DurationSummary: Codable, Hashable, Sendable {
    public let count: UInt64
    public let p50: Double
    public let p95: Double
    public let p99: Double
    public let max: Double

    public init(count: UInt64, p50: Double, p95: Double, p99: Double, max: Double) {
        (self.count, self.p50, self.p95, self.p99, self.max) = (count, p50, p95, p99, max)
    }
}

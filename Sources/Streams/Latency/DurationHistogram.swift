import Histogram

/// A distribution of durations from a microsecond to ten minutes, in constant memory.
public struct DurationHistogram: Sendable {
    private static let longestMicroseconds: UInt64 = 600_000_000
    private var microseconds: Histogram<UInt64>

    /// - Parameter digits: significant digits. Three take 180 kB, two take 20 kB.
    public init(digits: SignificantDigits = .three) {
        microseconds = Histogram(
            highestTrackableValue: Self.longestMicroseconds, numberOfSignificantValueDigits: digits)
    }

    /// Removes all durations; the memory stays allocated.
    public mutating func reset() {
        microseconds.reset()
    }

    /// Adds one duration. Negative durations count as zero, longer ones as ten minutes.
    public mutating func record(nanoseconds: Int64) {
        microseconds.record(min(UInt64(max(0, nanoseconds)) / 1_000, Self.longestMicroseconds))
    }

    /// The quantiles that reports print; `nil` if nothing was recorded.
    public var summary: DurationSummary? {
        guard let p50 = milliseconds(atPercentile: 50), let p95 = milliseconds(atPercentile: 95),
            let p99 = milliseconds(atPercentile: 99), let max = milliseconds(atPercentile: 100)
        else { return nil }
        return DurationSummary(count: UInt64(microseconds.totalCount), p50: p50, p95: p95, p99: p99, max: max)
    }

    /// The duration that `percentile` percent of the durations do not exceed: the minimum at 0, `nil` if nothing was recorded.
    public func milliseconds(atPercentile percentile: Double) -> Double? {
        guard microseconds.totalCount > 0 else { return nil }
        guard percentile > 0 else { return Double(microseconds.min) / 1_000 }
        // The histogram returns the upper end of a value's bucket, which may lie above the largest value.
        return Double(min(microseconds.valueAtPercentile(percentile), microseconds.max)) / 1_000
    }

    /// The mean; `nil` if nothing was recorded.
    public var meanMilliseconds: Double? {
        microseconds.totalCount > 0 ? microseconds.mean / 1_000 : nil
    }
}

/// A distribution in five numbers: the count, and quantiles in milliseconds.
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

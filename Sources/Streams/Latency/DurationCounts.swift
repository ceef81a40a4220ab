/// A distribution of durations as counts between fixed bounds, which other programs can add and compare. A pure value.
public struct DurationCounts: Hashable, Sendable {
    /// The upper bounds in milliseconds: three in each power of ten, from less than any stage takes to more than a frame may be late.
    public static let bounds: [Double] = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]
    private static let boundsInNanoseconds = bounds.map { Int64($0 * 1_000_000) }

    /// The number of durations up to each bound and above the one before, and of those above the last.
    public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    public private(set) var sumNanoseconds: Int64 = 0

    public init() {}

    /// The number of all durations.
    public var count: UInt64 { counts.reduce(0, +) }

    /// Adds one duration. Negative durations count as zero.
    public mutating func record(nanoseconds: Int64) {
        let nanoseconds = max(0, nanoseconds)
        let bounds = Self.boundsInNanoseconds
        var index = 0
        while index < bounds.count, bounds[index] < nanoseconds { index += 1 }
        counts[index] += 1
        // The sum of a stream's frames would overflow after 292 years of them.
        sumNanoseconds &+= nanoseconds
    }
}

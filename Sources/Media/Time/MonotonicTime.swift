/// An instant on the host's monotonic clock (`CLOCK_MONOTONIC`), in nanoseconds.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    @inlinable
    public static func + (left: Self, nanoseconds: Int64) -> Self {
        Self(nanoseconds: left.nanoseconds &+ nanoseconds)
    }

    /// Nanoseconds from `right` to `left`.
    @inlinable
    public static func - (left: Self, right: Self) -> Int64 { left.nanoseconds &- right.nanoseconds }

    /// The instant `milliseconds` later.
    @inlinable
    public func advanced(byMilliseconds milliseconds: Int64) -> Self { self + milliseconds &* 1_000_000 }

    /// Later than any deadline.
    public static let distantFuture = Self(nanoseconds: .max)
}

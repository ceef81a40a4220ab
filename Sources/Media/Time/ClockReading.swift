/// The time on a host's two clocks at one instant.
public struct ClockReading: Hashable, Sendable {
    public let monotonic: MonotonicTime
    /// The wall clock, in nanoseconds since 1970.
    public let unixNanoseconds: Int64

    public init(monotonic: MonotonicTime, unixNanoseconds: Int64) {
        self.monotonic = monotonic
        self.unixNanoseconds = unixNanoseconds
    }
}

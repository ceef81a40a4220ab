import Media

/// The least value of the last half minute, and whether it is steady.
///
/// The minimum of delays is the constant part of the delay, because queues only add to it. If the minimum keeps rising or falling,
/// the two clocks with which the delay is measured do not advance alike.
struct WindowedMinimum {
    private static let period: Int64 = 2_000_000_000
    private static let window: Int64 = 30_000_000_000
    /// The clocks may differ by one part in this many: 5 %.
    private static let tolerance: Int64 = 20
    /// Besides, two minima may differ by this much, because a queue may last for a whole period.
    private static let allowance: Int64 = 250_000_000

    private struct Period {
        let start: MonotonicTime
        var minimum: Int64
    }

    /// The first complete period.
    private var first: Period?
    /// The last complete period.
    private var last: Period?
    /// The periods of the window that have values, newest last. The last one is not complete.
    private var periods: [Period] = []
    /// The least value; `nil` before the first.
    private(set) var value: Int64?
    /// Whether the first and the last complete period of the window have nearly the same minimum.
    private(set) var isSteady = true

    /// By how much the minimum has risen since the first period, in nanoseconds per nanosecond; `nil` before that is a window ago.
    var slope: Double? {
        guard let first, let last, last.start - first.start >= Self.window else { return nil }
        return Double(last.minimum &- first.minimum) / Double(last.start - first.start)
    }

    /// - Parameter now: the instant of the value; instants do not go back.
    mutating func insert(_ value: Int64, at now: MonotonicTime) {
        if let last = periods.last, now - last.start < Self.period {
            guard value < last.minimum else { return }
            periods[periods.count - 1].minimum = value
            self.value = min(self.value ?? value, value)
            return
        }
        compareComplete()
        periods.append(Period(start: now, minimum: value))
        periods.removeAll { now - $0.start > Self.window }
        self.value = periods.lazy.map(\.minimum).min()
    }

    private mutating func compareComplete() {
        guard let first = periods.first, let last = periods.last else { return }
        self.first = self.first ?? last
        self.last = last
        let allowed = (last.start - first.start) / Self.tolerance + Self.allowance
        isSteady = (last.minimum &- first.minimum).magnitude <= allowed.magnitude
    }
}

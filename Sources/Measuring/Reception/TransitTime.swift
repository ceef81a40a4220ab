import Media

/// How late each unit of a track comes, compared with the quickest so far.
///
/// The sender's and the receiver's clocks need not agree: what counts is how much more time lay between a unit's
/// timestamp and its arrival than for the unit that was least delayed. A prelude, which catches up with live, lowers
/// that base only.
public struct TransitTime: Sendable {
    private let rate: ClockRate
    private var reference: (timestamp: UInt32, elapsedTicks: Int64)?
    private var shortest = Int64.max

    public init(rate: ClockRate) {
        self.rate = rate
    }

    /// Nanoseconds by which a unit that arrived whole at `arrival` is later than the quickest one; never negative.
    public mutating func lateness(timestamp: UInt32, arrival: MonotonicTime) -> Int64 {
        let transit = arrival.nanoseconds &- rate.nanoseconds(inTicks: extended(timestamp))
        shortest = min(shortest, transit)
        return transit &- shortest
    }

    /// The timestamp without its wrap-around, counted from the first.
    private mutating func extended(_ timestamp: UInt32) -> Int64 {
        guard let reference else {
            self.reference = (timestamp, 0)
            return 0
        }
        let ticks = reference.elapsedTicks &+ Int64(Int32(bitPattern: timestamp &- reference.timestamp))
        self.reference = (timestamp, ticks)
        return ticks
    }
}

import Media

/// How late each unit of a track arrives, compared with the least delayed unit so far.
///
/// The clocks of sender and receiver need not agree: a unit's lateness is the time from its timestamp to its arrival, less
/// the shortest such time of any unit. A fast start, which catches up with live, only lowers this minimum.
public struct TransitTime: Sendable {
    private let rate: ClockRate
    private var reference: (timestamp: UInt32, elapsedTicks: Int64)?
    private var shortest = Int64.max

    public init(rate: ClockRate) {
        self.rate = rate
    }

    /// Nanoseconds by which a unit that was complete at `arrival` is later than the least delayed unit; never negative.
    public mutating func lateness(timestamp: UInt32, arrival: MonotonicTime) -> Int64 {
        let transit = arrival.nanoseconds &- rate.nanoseconds(inTicks: extended(timestamp))
        shortest = min(shortest, transit)
        return transit &- shortest
    }

    /// The timestamp without its wrap-around, counted from the first one.
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

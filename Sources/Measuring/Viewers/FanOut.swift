import Streams

/// Measures the time between the first and the last viewer's arrival of the same access unit.
///
/// Each viewer has its own RTP timestamps, so units are identified by their capture time, computed from sender reports.
/// The last units are kept in a ring; the spread of a unit is recorded when the unit leaves the ring.
public struct FanOut {
    private struct Unit {
        var captured: Int64
        var first: Int64
        var last: Int64
        var viewers: Int
    }

    /// Four seconds at 30 units per second.
    private static let capacity = 128
    /// Half of the shortest frame interval that matters (120 per second); rounding moves capture times by a tick.
    private static let toleranceNanoseconds: Int64 = 4_000_000

    private var units: [Unit] = []
    private var next = 0
    private var spreads = DurationHistogram()

    public init() {
        units.reserveCapacity(Self.capacity)
    }

    /// Records that one more viewer has received a whole unit, at `arrival` nanoseconds of any one clock.
    public mutating func completed(capturedAt captured: Int64, arrival: Int64) {
        if let index = index(of: captured) {
            units[index].first = min(units[index].first, arrival)
            units[index].last = max(units[index].last, arrival)
            units[index].viewers += 1
        } else {
            insert(Unit(captured: captured, first: arrival, last: arrival, viewers: 1))
        }
    }

    /// Returns the spreads of all units that at least two viewers received.
    public mutating func finish() -> DurationHistogram {
        units.forEach { record($0) }
        units.removeAll()
        next = 0
        return spreads
    }

    /// Searches from the newest unit backwards, because the newest is nearly always the match.
    private func index(of captured: Int64) -> Int? {
        for step in 1...max(1, units.count) where !units.isEmpty {
            let index = (next &- step &+ units.count &* 2) % units.count
            if (units[index].captured &- captured).magnitude < UInt64(Self.toleranceNanoseconds) { return index }
        }
        return nil
    }

    private mutating func insert(_ unit: Unit) {
        guard units.count == Self.capacity else {
            units.append(unit)
            next = units.count % Self.capacity
            return
        }
        record(units[next])
        units[next] = unit
        next = (next + 1) % Self.capacity
    }

    private mutating func record(_ unit: Unit) {
        guard unit.viewers > 1 else { return }
        spreads.record(nanoseconds: unit.last - unit.first)
    }
}

import Streams

/// How long the server takes from the first viewer to the last with the same access unit.
///
/// Every viewer has timestamps of its own, so units are recognised by the capture time that sender reports give them.
/// A ring of the last units is kept; a unit's spread is recorded when it leaves the ring.
public struct FanOut {
    private struct Unit {
        var captured: Int64
        var first: Int64
        var last: Int64
        var viewers: Int
    }

    /// Units of 30 per second that are in flight for 4 s.
    private static let capacity = 128
    /// Half of the shortest distance of pictures that matters (120 per second); rounding moves capture times by a tick.
    private static let toleranceNanoseconds: Int64 = 4_000_000

    private var units: [Unit] = []
    private var next = 0
    private var spreads = DurationHistogram()

    public init() {
        units.reserveCapacity(Self.capacity)
    }

    /// Takes note that one more viewer has a unit whole, at `arrival` nanoseconds of any one clock.
    public mutating func completed(capturedAt captured: Int64, arrival: Int64) {
        if let index = index(of: captured) {
            units[index].first = min(units[index].first, arrival)
            units[index].last = max(units[index].last, arrival)
            units[index].viewers += 1
        } else {
            insert(Unit(captured: captured, first: arrival, last: arrival, viewers: 1))
        }
    }

    /// The spreads of all units that at least two viewers received.
    public mutating func finish() -> DurationHistogram {
        units.forEach { record($0) }
        units.removeAll()
        next = 0
        return spreads
    }

    /// Looks from the newest unit backwards: that is nearly always the one.
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

import Media

/// Sorts the units of several tracks by decode time, whatever their order in the container.
struct Interleaver {
    /// The longest wait for a track that delivers no units.
    private static let patience: Int64 = 3_000_000_000

    private var queues: [[TimedUnit]]
    /// The index of each queue's first remaining unit.
    private var heads: [Int]

    init(trackCount: Int) {
        queues = Array(repeating: [], count: trackCount)
        heads = Array(repeating: 0, count: trackCount)
    }

    mutating func push(_ unit: TimedUnit) {
        queues[unit.track.index].append(unit)
    }

    /// The next unit to send; `nil` while a track may still deliver an earlier one, unless the input has ended.
    mutating func next(isAtEnd: Bool = false) -> TimedUnit? {
        var best: Int?
        var isComplete = true
        for index in queues.indices {
            guard heads[index] < queues[index].count else {
                isComplete = false
                continue
            }
            let candidate = queues[index][heads[index]].decode
            if best.map({ candidate < queues[$0][heads[$0]].decode }) ?? true { best = index }
        }
        guard let best, isComplete || isAtEnd || span(best) > Self.patience else { return nil }
        let unit = queues[best][heads[best]]
        heads[best] += 1
        if heads[best] > 64 {
            queues[best].removeFirst(heads[best])
            heads[best] = 0
        }
        return unit
    }

    private func span(_ index: Int) -> Int64 {
        guard let last = queues[index].last else { return 0 }
        return last.decode &- queues[index][heads[index]].decode
    }
}

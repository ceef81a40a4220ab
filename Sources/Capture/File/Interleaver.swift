import Media

/// Puts the units of several tracks in decoding order, whatever order the container has them in.
struct Interleaver {
    /// A track that shows nothing for this long is not waited for.
    private static let patience: Int64 = 3_000_000_000

    private var queues: [[TimedUnit]]
    /// Index of each queue's first unit that has not been taken.
    private var heads: [Int]

    init(trackCount: Int) {
        queues = Array(repeating: [], count: trackCount)
        heads = Array(repeating: 0, count: trackCount)
    }

    mutating func push(_ unit: TimedUnit) {
        queues[unit.track.index].append(unit)
    }

    /// The unit to be sent next; `nil` while a track may yet show an earlier one, unless nothing more will come.
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

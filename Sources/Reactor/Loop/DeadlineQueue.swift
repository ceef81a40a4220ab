import Media

/// A priority queue of deadlines, one per key: a binary heap with an index of the keys.
///
/// Setting, removing and popping take O(log n). They allocate only if the queue becomes longer than ever before.
public struct DeadlineQueue<Key: Hashable> {
    private var heap: [(deadline: MonotonicTime, key: Key)] = []
    private var positions: [Key: Int] = [:]

    public init() {}

    public var isEmpty: Bool { heap.isEmpty }
    public var count: Int { heap.count }

    /// The earliest deadline; `distantFuture` if the queue is empty.
    public var next: MonotonicTime { heap.first?.deadline ?? .distantFuture }

    /// The deadline of `key`, if it has one.
    public func deadline(of key: Key) -> MonotonicTime? {
        positions[key].map { heap[$0].deadline }
    }

    /// Sets or replaces the deadline of `key`.
    public mutating func set(_ key: Key, _ deadline: MonotonicTime) {
        if let position = positions[key] {
            heap[position].deadline = deadline
            settle(position)
        } else {
            heap.append((deadline, key))
            positions[key] = heap.count - 1
            moveUp(heap.count - 1)
        }
    }

    /// Removes the deadline of `key`, if there is one.
    public mutating func remove(_ key: Key) {
        guard let position = positions.removeValue(forKey: key) else { return }
        let last = heap.removeLast()
        guard position < heap.count else { return }
        place(last, at: position)
        settle(position)
    }

    /// Removes and returns the key with the earliest deadline, if that deadline is at or before `now`.
    public mutating func popDue(at now: MonotonicTime) -> Key? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        remove(first.key)
        return first.key
    }

    private mutating func place(_ entry: (deadline: MonotonicTime, key: Key), at position: Int) {
        heap[position] = entry
        positions[entry.key] = position
    }

    private mutating func settle(_ position: Int) {
        moveUp(position)
        moveDown(position)
    }

    private mutating func moveUp(_ start: Int) {
        var position = start
        while position > 0, heap[position].deadline < heap[(position - 1) / 2].deadline {
            exchange(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
    }

    private mutating func moveDown(_ start: Int) {
        var position = start
        while let child = earlierChild(of: position), heap[child].deadline < heap[position].deadline {
            exchange(position, child)
            position = child
        }
    }

    private func earlierChild(of position: Int) -> Int? {
        let left = 2 * position + 1
        guard left < heap.count else { return nil }
        guard left + 1 < heap.count, heap[left + 1].deadline < heap[left].deadline else { return left }
        return left + 1
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        let entry = heap[one]
        place(heap[other], at: one)
        place(entry, at: other)
    }
}

extension DeadlineQueue: Sendable where Key: Sendable {}

import DequeModule

/// One loop's view of a feed's ring: references to the same outputs, which all viewers of the loop read without a lock.
public struct FeedReader<Output: Sendable>: Sendable {
    @usableFromInline var outputs: Deque<Output> = []
    /// The index of the oldest output in view.
    public private(set) var startIndex: Int64 = 0
    /// Whether the feed has ended, which also ends its viewers' sessions.
    public private(set) var hasEnded = false

    @inlinable
    public init() {}

    /// The index after the newest output in view.
    @inlinable
    public var endIndex: Int64 { startIndex + Int64(outputs.count) }

    /// The output at `index`, which lies in `startIndex..<endIndex`.
    @inlinable
    public subscript(index: Int64) -> Output {
        outputs[Int(index - startIndex)]
    }

    /// Adds the ring's new outputs and removes those that the ring has dropped. The caller holds the feed's lock.
    mutating func update(from ring: borrowing Ring<Output>, hasEnded: Bool) {
        self.hasEnded = hasEnded
        if ring.startIndex >= endIndex {
            outputs.removeAll(keepingCapacity: true)
            startIndex = ring.startIndex
        }
        while startIndex < ring.startIndex {
            outputs.removeFirst()
            startIndex += 1
        }
        while endIndex < ring.endIndex {
            outputs.append(ring[endIndex])
        }
    }
}

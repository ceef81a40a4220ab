import DequeModule

/// One loop's own view of a feed's ring: references to the same outputs, read without a lock by all viewers of the loop.
public struct FeedReader<Output: Sendable>: Sendable {
    private var outputs: Deque<Output> = []
    /// Index of the oldest output in view.
    public private(set) var startIndex: Int64 = 0
    /// Whether the feed will get no more: its viewers' sessions are over.
    public private(set) var hasEnded = false

    public init() {}

    /// One past the newest output in view.
    public var endIndex: Int64 { startIndex + Int64(outputs.count) }

    /// The output at `index`, which lies in `startIndex..<endIndex`.
    public subscript(index: Int64) -> Output {
        outputs[Int(index - startIndex)]
    }

    /// Takes over what is new in the ring and lets go of what has left it; the feed's lock is held.
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

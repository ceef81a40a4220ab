/// Puts packets into the order of their sequence numbers again, waiting for a missing one only so long.
///
/// Insert what arrives, then take until there is nothing. It holds at most `capacity` packets: when that many wait
/// behind a gap, the gap is given up. A caller with a clock gives it up earlier (`passGap`).
public struct ReorderBuffer<Element> {
    /// What became of a packet.
    public enum Insertion: Hashable, Sendable {
        case accepted
        /// It is here already.
        case duplicate
        /// Its turn is over.
        case late
    }

    private let capacity: Int
    /// Ascending; at most `capacity` and the one just inserted.
    private var waiting: [(number: SequenceNumber, element: Element)] = []
    private var expected: SequenceNumber?
    private var isPassingGap = false
    private var latePacketsInARow = 0

    /// How many packets in a row must be late before the sender is taken to have begun anew.
    private static var latePacketsOfRestart: Int { 100 }

    /// - Parameter capacity: packets that may wait behind a gap, at least 1.
    public init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Packets that wait.
    public var count: Int { waiting.count }

    /// The oldest that waits.
    public var first: Element? { waiting.first?.element }

    /// Takes in a packet that arrived.
    public mutating func insert(_ element: Element, _ number: SequenceNumber) -> Insertion {
        if let expected, number.distance(from: expected) < 0 {
            latePacketsInARow += 1
            guard latePacketsInARow >= Self.latePacketsOfRestart else { return .late }
            waiting = []
            self.expected = nil
        }
        latePacketsInARow = 0
        if expected == nil { expected = number }
        // Newest last is the usual case, so the search starts there.
        var index = waiting.count
        while index > 0, waiting[index - 1].number.isNewer(than: number) { index -= 1 }
        if index > 0, waiting[index - 1].number == number { return .duplicate }
        waiting.insert((number, element), at: index)
        return .accepted
    }

    /// The next packet whose turn it is.
    public mutating func next() -> Element? {
        guard let first = waiting.first else {
            isPassingGap = false
            return nil
        }
        let isItsTurn = first.number == expected
        guard isItsTurn || isPassingGap || waiting.count > capacity else { return nil }
        isPassingGap = false
        expected = first.number.advanced(by: 1)
        return waiting.removeFirst().element
    }

    /// Gives up the packets missing before the oldest that waits: `next` then goes on behind the gap.
    public mutating func passGap() {
        isPassingGap = !waiting.isEmpty
    }
}

extension ReorderBuffer: Sendable where Element: Sendable {
}

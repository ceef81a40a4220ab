/// Restores the order of packets by their sequence numbers and waits a limited time for missing ones.
///
/// Insert packets as they arrive, then call `next` until `nil`. It holds at most `capacity` packets: if that many wait behind a
/// gap, the missing packets are given up. A caller with a clock can give them up earlier (`passGap`).
public struct ReorderBuffer<Element> {
    /// The result of inserting a packet.
    public enum Insertion: Hashable, Sendable {
        case accepted
        /// A packet with this number is already in the buffer.
        case duplicate
        /// A later packet has already been returned.
        case late
    }

    private let capacity: Int
    /// Ascending; at most `capacity`, and the one just inserted.
    private var waiting: [(number: SequenceNumber, element: Element)] = []
    private var expected: SequenceNumber?
    private var isPassingGap = false
    private var latePacketsInARow = 0

    /// The number of consecutive late packets after which the sender is assumed to have restarted.
    private static var latePacketsOfRestart: Int { 100 }

    /// - Parameter capacity: packets that may wait behind a gap, at least 1.
    public init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The number of waiting packets.
    public var count: Int { waiting.count }

    /// The oldest waiting packet.
    public var first: Element? { waiting.first?.element }

    /// Lets the packet with this number pass without storing it, if it is the next in order and no packet waits.
    ///
    /// - Returns: whether the packet has passed. If not, the caller inserts it.
    public mutating func passes(_ number: SequenceNumber) -> Bool {
        guard waiting.isEmpty, number == expected ?? number else { return false }
        expected = number.advanced(by: 1)
        latePacketsInARow = 0
        return true
    }

    /// Inserts a packet that has arrived.
    public mutating func insert(_ element: Element, _ number: SequenceNumber) -> Insertion {
        if let expected, number.distance(from: expected) < 0 {
            latePacketsInARow += 1
            guard latePacketsInARow >= Self.latePacketsOfRestart else { return .late }
            waiting = []
            self.expected = nil
        }
        latePacketsInARow = 0
        if expected == nil { expected = number }
        // The packet is usually the newest, so the search starts at the end.
        var index = waiting.count
        while index > 0, waiting[index - 1].number.isNewer(than: number) { index -= 1 }
        if index > 0, waiting[index - 1].number == number { return .duplicate }
        waiting.insert((number, element), at: index)
        return .accepted
    }

    /// The next packet in order.
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

    /// Gives up the packets that are missing before the oldest waiting one; `next` then continues behind the gap.
    public mutating func passGap() {
        isPassingGap = !waiting.isEmpty
    }
}

extension ReorderBuffer: Sendable where Element: Sendable {
}

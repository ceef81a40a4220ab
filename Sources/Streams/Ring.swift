import DequeModule
import Media

/// The newest elements of an endless sequence, bounded by media time and by bytes.
///
/// An element keeps its index for ever; the first element has 0. The oldest are dropped first; the newest always stays.
public struct Ring<Element> {
    /// How much history is kept.
    public struct Bounds: Hashable, Sendable {
        /// Media time from the oldest to the newest element, in nanoseconds.
        public var nanoseconds: Int64
        /// Sum of the elements' bytes.
        public var byteCount: Int

        public init(nanoseconds: Int64 = 12_000_000_000, byteCount: Int = 16_000_000) {
            self.nanoseconds = nanoseconds
            self.byteCount = byteCount
        }
    }

    fileprivate struct Entry {
        let element: Element
        let nanoseconds: Int64
        let byteCount: Int
    }

    private let bounds: Bounds
    private var entries: Deque<Entry> = []
    private var byteCount = 0

    /// The index of the oldest element in the ring.
    public private(set) var startIndex: Int64 = 0

    public init(bounds: Bounds) {
        self.bounds = bounds
    }

    /// The index of the next element.
    public var endIndex: Int64 { startIndex + Int64(entries.count) }

    /// The element at `index`, which lies in `startIndex..<endIndex`.
    public subscript(index: Int64) -> Element {
        entries[Int(index - startIndex)].element
    }

    /// Appends an element of `byteCount` bytes with the media time `nanoseconds`, and drops elements that are out of bounds.
    public mutating func append(_ element: Element, nanoseconds: Int64, byteCount: Int) {
        entries.append(Entry(element: element, nanoseconds: nanoseconds, byteCount: byteCount))
        self.byteCount += byteCount
        while let oldest = entries.first, entries.count > 1,
            self.byteCount > bounds.byteCount || nanoseconds &- oldest.nanoseconds > bounds.nanoseconds
        {
            self.byteCount -= oldest.byteCount
            entries.removeFirst()
            startIndex += 1
        }
    }

    /// Removes all elements. Indices continue.
    public mutating func removeAll() {
        startIndex = endIndex
        entries.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}

extension Ring.Entry: Sendable where Element: Sendable {}
extension Ring: Sendable where Element: Sendable {}

/// The estimates of all viewers of one stream at one time, from which the rate for all of them is selected.
///
/// It keeps its memory when it is filled again: 40 bytes a viewer.
public struct ViewerRates: Sendable {
    private var estimates: [PathEstimate] = []

    public init() {}

    public var count: Int { estimates.count }

    public mutating func removeAll() {
        estimates.removeAll(keepingCapacity: true)
    }

    public mutating func add(_ estimate: PathEstimate) {
        estimates.append(estimate)
    }

    /// Adds the viewers of another event loop.
    public mutating func add(_ others: ViewerRates) {
        estimates.append(contentsOf: others.estimates)
    }

    /// How many of `viewerCount` viewers may be left out: a whole number, so that a lone viewer counts fully, and one of ten
    /// does not.
    static func ignoredCount(_ share: Double, of viewerCount: Int) -> Int {
        // The margin keeps 0.1 × 10 from being less than 1.
        let count = Int(min(max(0, share), 0.99) * Double(viewerCount) + 1e-9)
        return min(count, max(0, viewerCount - 1))
    }

    /// The least estimate of all viewers but the worst `share`; `nil` without viewers. Changes the order of the estimates.
    mutating func select(ignoring share: Double) -> PathEstimate? {
        guard !estimates.isEmpty else { return nil }
        let target = Self.ignoredCount(share, of: estimates.count)
        var (low, high) = (0, estimates.count - 1)
        // Quickselect (Hoare 1961): the smaller rates go to the left of the pivot, until the pivot's place is the one that is
        // looked for.
        while low < high {
            let place = partition(low, high)
            if place == target { break }
            if place < target { low = place + 1 } else { high = place - 1 }
        }
        return estimates[target]
    }

    /// Orders `low...high` around the middle one of three of its rates, and returns the place of that.
    private mutating func partition(_ low: Int, _ high: Int) -> Int {
        let middle = low + (high - low) / 2
        order(low, middle)
        order(low, high)
        order(middle, high)
        estimates.swapAt(middle, high)
        let pivot = estimates[high].rate
        var (left, right) = (low, high)
        // Both sides stop at equal rates, so that many equal ones are divided evenly.
        while true {
            while estimates[left].rate < pivot { left += 1 }
            repeat { right -= 1 } while right > left && pivot < estimates[right].rate
            if left >= right { break }
            estimates.swapAt(left, right)
            left += 1
        }
        estimates.swapAt(left, high)
        return left
    }

    private mutating func order(_ first: Int, _ second: Int) {
        if estimates[second].rate < estimates[first].rate { estimates.swapAt(first, second) }
    }
}

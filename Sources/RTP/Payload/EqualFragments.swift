/// Splits a payload into as few fragments as possible, all of the same length except the last, so that they form one GSO batch.
struct EqualFragments: Sequence {
    private let whole: Range<Int>
    private let fragmentBytes: Int

    /// - Parameter maximum: the maximum size of a fragment in bytes, positive.
    init(of whole: Range<Int>, maximum: Int) {
        self.whole = whole
        let count = Swift.max(1, (whole.count + maximum - 1) / maximum)
        fragmentBytes = Swift.max(1, (whole.count + count - 1) / count)
    }

    func makeIterator() -> AnyIterator<Range<Int>> {
        var start = whole.lowerBound
        return AnyIterator {
            guard start < whole.upperBound else { return nil }
            let end = Swift.min(start + fragmentBytes, whole.upperBound)
            defer { start = end }
            return start..<end
        }
    }
}

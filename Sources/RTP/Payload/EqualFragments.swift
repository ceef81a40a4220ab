/// A payload cut into as few fragments as fit, all equally long but the last, so that they make one train.
struct EqualFragments: Sequence {
    private let whole: Range<Int>
    private let fragmentBytes: Int

    /// - Parameter maximum: bytes of a fragment at most, positive.
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

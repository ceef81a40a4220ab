import Media

/// Chooses which rendition of a path one viewer gets: the policy `renditions`.
///
/// A viewer goes down at once, to the best rendition that its estimate allows. It goes up after its estimate has allowed more
/// for some time. While a viewer receives little, its estimate says little about larger rates, so going up is a try. If the
/// viewer has to come down again soon, the next try waits twice as long.
public struct RenditionChoice: Sendable {
    /// The index of the viewer's rendition in the ladder.
    public private(set) var current: Int
    /// The rates of the renditions on the path, from the lowest to the highest; never empty.
    private var ladder: [DataRate]
    private var hold = Self.firstHold
    private var wouldFitSince: MonotonicTime?
    private var lastClimb: MonotonicTime?

    /// After congestion the estimate is 0.85 × what was delivered. So a viewer goes down if less than 1.06 × the rendition was
    /// delivered.
    private static let downMargin = 0.9
    private static let upMargin = 1.15
    private static let firstHold: Int64 = 5_000_000_000
    private static let longestHold: Int64 = 120_000_000_000
    /// A viewer that comes down within this time should not have gone up.
    private static let trial: Int64 = 15_000_000_000

    /// - Parameters:
    ///   - ladder: the rates of the renditions with audio and headers, from the lowest to the highest; not empty.
    ///   - start: the rendition that the viewer asked for.
    public init(ladder: [DataRate], start: Int) {
        precondition(ladder.indices.contains(start), "a viewer starts with a rendition of the ladder")
        self.ladder = ladder
        current = start
    }

    /// The renditions changed their rates; their number stays.
    public mutating func change(_ rates: [DataRate]) {
        precondition(rates.count == ladder.count, "a ladder keeps its renditions")
        ladder = rates
    }

    /// Decides again; call it for each new estimate.
    ///
    /// - Returns: the rendition to move to at its next keyframe; `nil` if the present one stays.
    public mutating func update(_ estimate: PathEstimate, at now: MonotonicTime) -> Int? {
        if let climb = lastClimb, now - climb >= Self.trial { (hold, lastClimb) = (Self.firstHold, nil) }
        if estimate.rate < ladder[current] * Self.downMargin, current > 0 {
            return descend(to: best(estimate.rate, margin: 1, below: current), at: now)
        }
        // A path without a known limit has no rate with a margin above the best rendition.
        let better =
            estimate.reason == .unconstrained
            ? ladder.count - 1 : best(estimate.rate, margin: Self.upMargin, below: ladder.count)
        guard better > current else {
            wouldFitSince = nil
            return nil
        }
        let since = wouldFitSince ?? now
        wouldFitSince = since
        guard now - since >= hold else { return nil }
        (current, lastClimb, wouldFitSince) = (better, now, nil)
        return better
    }

    private mutating func descend(to index: Int, at now: MonotonicTime) -> Int {
        if lastClimb != nil { hold = min(hold * 2, Self.longestHold) }
        (current, lastClimb, wouldFitSince) = (index, nil, nil)
        return index
    }

    /// The highest rendition below an index whose rate with the margin is within `rate`, or else the lowest.
    private func best(_ rate: DataRate, margin: Double, below end: Int) -> Int {
        ladder[..<end].lastIndex { $0 * margin <= rate } ?? 0
    }
}

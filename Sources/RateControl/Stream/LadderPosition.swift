import Media

/// How far down its ladder an encoder is. It goes down at once, and up only after it could have done so for some time, because
/// another size costs a keyframe and is seen.
///
/// A climb that had to be taken back within half a minute doubles this time: 5 s at first, a minute at most.
struct LadderPosition: Hashable, Sendable {
    /// The number of rungs that apply.
    private(set) var depth = 0
    private var couldClimbSince: MonotonicTime?
    private var lastClimb: MonotonicTime?
    /// Nanoseconds.
    private var hold = Self.firstHold

    /// Fewer rungs have to suffice for the bitrate divided by this, so that it may fall a little again.
    private static let margin = 1.25
    private static let firstHold: Int64 = 5_000_000_000
    private static let longestHold: Int64 = 60_000_000_000
    /// A climb that has lasted for this time was right.
    private static let trial: Int64 = 30_000_000_000

    /// The bitrate is this share of the configured one.
    mutating func update(share: Double, on ladder: EncoderLadder, at now: MonotonicTime) {
        depth = min(depth, ladder.rungs.count)
        if let climb = lastClimb, now - climb >= Self.trial { (hold, lastClimb) = (Self.firstHold, nil) }
        let fitting = ladder.depth(at: share)
        if fitting >= depth { return descend(to: fitting) }
        let target = ladder.depth(at: share / Self.margin)
        guard target < depth else {
            couldClimbSince = nil
            return
        }
        let since = couldClimbSince ?? now
        couldClimbSince = since
        if now - since >= hold { (depth, couldClimbSince, lastClimb) = (target, nil, now) }
    }

    private mutating func descend(to fitting: Int) {
        if fitting > depth, lastClimb != nil { (hold, lastClimb) = (min(hold * 2, Self.longestHold), nil) }
        (depth, couldClimbSince) = (fitting, nil)
    }
}

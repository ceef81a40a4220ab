import Media
import RateControl
import Streams

/// Which rendition of its path one viewer gets, and which it moves to. Confined to its loop.
struct ViewerRenditions {
    /// A move to another rendition, until the viewer can continue there with a keyframe.
    struct Move {
        let target: Stream
        /// Keeps the source of the target running.
        let use: StreamUse
        /// Whether it goes to a lower rate. Then nothing of the present rendition is sent while the keyframe is on its way.
        let isDescent: Bool
        /// The feed whose audience the viewer is going to join; `nil` before it has one.
        var feed: ObjectIdentifier?
        /// Whether a keyframe is to be requested.
        var needsKeyframe = false
        /// Until when nothing is sent.
        private var heldUntil = MonotonicTime(nanoseconds: .min / 2)
        private var nextTry = MonotonicTime(nanoseconds: .min / 2)

        /// How long nothing is sent, in nanoseconds. An encoder needs two or three frames for the keyframe.
        private static let longestHold: Int64 = 500_000_000
        /// The time between two tries, in nanoseconds.
        private static let tryInterval: Int64 = 1_500_000_000
        /// How long a queue in the network may empty itself before a keyframe is requested, in nanoseconds. A full one would drop it.
        private static let drain: Int64 = 150_000_000

        /// - Parameter drainsFrom: when a queue in the network begins to empty itself, because nothing is sent; `nil` if none is
        ///   known.
        init(to target: Stream, isDescent: Bool, drainsFrom start: MonotonicTime?) {
            self.target = target
            self.isDescent = isDescent
            use = StreamUse(of: target)
            if let start { (heldUntil, nextTry) = (start + Self.longestHold, start + Self.drain) }
        }

        /// Whether nothing is sent now.
        func isHeld(at now: MonotonicTime) -> Bool { now < heldUntil }

        /// Tries again to get a keyframe, if that is due.
        mutating func tryAgain(at now: MonotonicTime) {
            guard now >= nextTry else { return }
            nextTry = now + Self.tryInterval
            needsKeyframe = true
            if isDescent { heldUntil = now + Self.longestHold }
        }
    }

    /// The stream of its URL.
    let home: Stream
    /// The stream that it gets.
    private(set) var current: Stream
    /// The rendition that an operator has chosen; `nil` if the estimate of the viewer's path decides.
    private(set) var fixed: Stream?
    var move: Move?
    private var ladder: RenditionLadder
    private var choice: RenditionChoice
    /// Keeps the source of the present rendition running.
    private var use: StreamUse?
    /// When to look at the ladder again.
    private var nextReview = MonotonicTime(nanoseconds: .min / 2)

    /// The time between two looks at the ladder, in nanoseconds. Its rates may be measured, and its substreams may change.
    private static let reviewInterval: Int64 = 2_000_000_000

    /// - Returns: `nil` if viewers of the stream stay.
    init?(of stream: Stream) {
        guard let ladder = stream.renditions?.ladder(of: stream) else { return nil }
        self.ladder = ladder
        (home, current) = (stream, stream)
        choice = RenditionChoice(ladder: ladder.rates, start: ladder.rates.count - 1)
    }

    /// Whether the viewer gets less than it asked for.
    var isReduced: Bool { current !== home }

    /// The limits of the estimate of what the viewer's path carries.
    var pathLimits: RateLimits { ladder.pathLimits }

    /// The rendition that the viewer should get.
    mutating func choose(by estimate: PathEstimate, at now: MonotonicTime) -> Stream {
        if now >= nextReview { review(at: now) }
        _ = choice.update(estimate, at: now)
        // Without it, a chosen substream that has been removed since.
        if let fixed, ladder.index(of: fixed) != nil { return fixed }
        return ladder.streams[choice.current]
    }

    /// Chooses a rendition, whatever the viewer's path carries.
    ///
    /// - Parameter path: that of the rendition; `nil` lets the estimate decide again.
    /// - Returns: false if the viewer has no such rendition. Then nothing changes.
    mutating func fix(to path: String?, at now: MonotonicTime) -> Bool {
        review(at: now)
        guard let path else {
            fixed = nil
            return true
        }
        guard let stream = ladder.streams.first(where: { $0.path == path }) else { return false }
        fixed = stream
        return true
    }

    /// - Parameter mayDropPackets: whether a queue in the network drops packets if it is full.
    mutating func beginMove(to target: Stream, mayDropPackets: Bool, at now: MonotonicTime) {
        let isDescent = ladder.index(of: target) ?? 0 < ladder.index(of: current) ?? 0
        move = Move(to: target, isDescent: isDescent, drainsFrom: isDescent && mayDropPackets ? now : nil)
    }

    /// The viewer has arrived where it was moving.
    mutating func completeMove() {
        guard let move else { return }
        (current, use) = (move.target, move.use)
        self.move = nil
    }

    /// The viewer is back at the stream of its URL, because its rendition has ended.
    mutating func returnedHome() {
        (current, use, move, fixed) = (home, nil, nil, nil)
        choice = RenditionChoice(ladder: ladder.rates, start: ladder.rates.count - 1)
    }

    private mutating func review(at now: MonotonicTime) {
        nextReview = now + Self.reviewInterval
        let new =
            home.renditions?.ladder(of: home) ?? RenditionLadder(streams: [home], rates: [ladder.pathLimits.maximum])
        if new.streams.elementsEqual(ladder.streams, by: ===) {
            choice.change(new.rates)
        } else {
            choice = RenditionChoice(ladder: new.rates, start: new.index(of: current) ?? new.rates.count - 1)
        }
        ladder = new
    }
}

import Media
import RTMP
import Streams

/// A fast start as messages, shared by all receivers that join at one point.
public struct MessageFastStart {
    /// What it was made for.
    public struct Key: Hashable {
        let limits: FastStart.Limits
        let window: Int64

        /// - Parameter window: the longest media time that is sent before the live point, in nanoseconds.
        public init(limits: FastStart.Limits, window: Int64) {
            (self.limits, self.window) = (limits, window)
        }
    }

    public let key: Key
    /// Empty if there is nothing to start with.
    let frames: [FLVFrame]
    /// The memory of the frames, held for as long as they are.
    let charge: MemoryBudget.Charge?
    /// The index in the feed of the first frame after it.
    public let nextIndex: Int64

    /// A start at the next keyframe.
    public static func none(at nextIndex: Int64, _ key: Key) -> Self {
        Self(key: key, frames: [], charge: nil, nextIndex: nextIndex)
    }

    /// Packages the history before a point; nothing if it is too long, or if there is no memory for it.
    public init(
        _ point: Streams.Stream.JoinPoint<FLVPackager>, leading: Track, _ key: Key, within budget: MemoryBudget
    ) {
        // Messages count milliseconds, and ffmpeg reports two frames with the same decode time.
        let start = FastStart(
            history: point.history, leading: leading, window: key.window, distance: 1_000_000, limits: key.limits)
        let charge = start.flatMap { budget.charge($0.units.reduce(0) { $0 + $1.bytes.count }) }
        guard let start, let charge else {
            self = .none(at: point.nextIndex, key)
            return
        }
        self.init(
            key: key, frames: point.packager.fastStart(start.units), charge: charge, nextIndex: point.nextIndex)
    }

    private init(key: Key, frames: [FLVFrame], charge: MemoryBudget.Charge?, nextIndex: Int64) {
        (self.key, self.frames, self.charge, self.nextIndex) = (key, frames, charge, nextIndex)
    }
}

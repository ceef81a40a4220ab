import Media
import RTP
import Streams

/// A fast start as transport packets, shared by all viewers that join at one point.
struct TransportFastStart {
    /// What it was made for.
    struct Key: Hashable {
        let limits: FastStart.Limits
        let window: Int64
    }

    let key: Key
    /// Empty if there is nothing to start with.
    let runs: [PacketRun]
    /// The memory of the runs, held for as long as they are.
    let charge: MemoryBudget.Charge?
    /// The index in the feed of the first run after it.
    let nextIndex: Int64

    /// A start at the next keyframe.
    static func none(at nextIndex: Int64, _ key: Key) -> Self {
        Self(key: key, runs: [], charge: nil, nextIndex: nextIndex)
    }

    /// Packages the history before a point; nothing if it is too long, or if there is no memory for it.
    init(
        _ point: Streams.Stream.JoinPoint<MPEGTSPackager>, leading: Track, _ key: Key, within budget: MemoryBudget
    ) {
        let start = FastStart(history: point.history, leading: leading, window: key.window, limits: key.limits)
        let charge = start.flatMap { budget.charge($0.units.reduce(0) { $0 + $1.bytes.count }) }
        guard let start, let charge else {
            self = .none(at: point.nextIndex, key)
            return
        }
        let units = Self.ordered(start.units, leading: leading.id)
        self.init(key: key, runs: point.packager.fastStart(units), charge: charge, nextIndex: point.nextIndex)
    }

    /// The units with those of other tracks behind the first frame. While libavformat looks for tracks, it counts each frame with its
    /// duration in live media, so it would give up in the middle of a fast start and play without sound.
    private static func ordered(_ units: [AccessUnit], leading: TrackID) -> [AccessUnit] {
        let frames = units.filter { $0.track == leading }
        guard let second = frames.dropFirst().firstIndex(where: \.part.isStart) else { return units }
        return frames[..<second] + units.filter { $0.track != leading } + frames[second...]
    }

    private init(key: Key, runs: [PacketRun], charge: MemoryBudget.Charge?, nextIndex: Int64) {
        (self.key, self.runs, self.charge, self.nextIndex) = (key, runs, charge, nextIndex)
    }
}

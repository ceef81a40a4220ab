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
        self.init(key: key, runs: point.packager.fastStart(start.units), charge: charge, nextIndex: point.nextIndex)
    }

    private init(key: Key, runs: [PacketRun], charge: MemoryBudget.Charge?, nextIndex: Int64) {
        (self.key, self.runs, self.charge, self.nextIndex) = (key, runs, charge, nextIndex)
    }
}

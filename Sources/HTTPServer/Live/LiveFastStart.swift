import Media
import Streams

/// A fast start as fragments, shared by all viewers that join at one point with the same tracks.
struct LiveFastStart {
    /// What it was made for.
    struct Key: Hashable {
        let tracks: Set<TrackID>
        let limits: FastStart.Limits
        let window: Int64
    }

    let key: Key
    /// Empty if there is nothing to start with.
    let fragments: [LiveFragment]
    /// The memory of the fragments, held for as long as they are.
    let charge: MemoryBudget.Charge?
    /// How times after it are compressed; `nil` without fast start.
    let compression: (track: TrackID, times: TimeCompression)?
    /// The index in the feed of the first unit after it.
    let nextIndex: Int64

    /// A start at the next keyframe.
    static func none(at nextIndex: Int64, _ key: Key) -> Self {
        Self(key: key, fragments: [], charge: nil, compression: nil, nextIndex: nextIndex)
    }

    /// Packages the history before a point; nothing if it is too long, or if there is no memory for it.
    init(
        _ point: Streams.Stream.JoinPoint<LivePackager>, leading: Track, _ key: Key, within budget: MemoryBudget
    ) {
        let history = point.history.filter { key.tracks.contains($0.track) }
        let start = FastStart(history: history, leading: leading, window: key.window, limits: key.limits)
        let charge = start.flatMap { budget.charge($0.units.reduce(0) { $0 + $1.bytes.count }) }
        guard let start, let charge else {
            self = .none(at: point.nextIndex, key)
            return
        }
        let times = start.track.flatMap { track in start.compression.map { (track, $0) } }
        self.init(
            key: key, fragments: point.packager.fastStart(start.units), charge: charge, compression: times,
            nextIndex: point.nextIndex)
    }

    private init(
        key: Key, fragments: [LiveFragment], charge: MemoryBudget.Charge?,
        compression: (track: TrackID, times: TimeCompression)?, nextIndex: Int64
    ) {
        (self.key, self.fragments, self.charge) = (key, fragments, charge)
        (self.compression, self.nextIndex) = (compression, nextIndex)
    }
}

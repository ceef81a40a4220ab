import Media
import RTP
import Streams

/// A fast start as packets, shared by all viewers that join at one point with the same tracks. If many viewers join, packaging
/// one for each would take longer than sending it.
struct PackagedFastStart {
    /// The packets; empty if there is nothing to start with.
    let runs: [PacketRun]
    /// The memory of the runs, held for as long as the runs are.
    let charge: MemoryBudget.Charge?
    /// How timestamps of units after it are compressed; `nil` without fast start.
    let compression: (track: TrackID, times: TimeCompression)?
    /// The index in the feed of the first unit after the fast start.
    let nextIndex: Int64
    /// Which of the stream's tracks it contains.
    let watched: [Bool]
    let options: JoinOptions

    /// Whether it fits a viewer that joins at `index` with these tracks and options.
    func serves(_ watched: [Bool], _ options: JoinOptions, at index: Int64) -> Bool {
        nextIndex == index && self.watched == watched && self.options == options
    }
}

extension FastStart {
    /// How the timestamps of its track are compressed; `nil` if they are not.
    var compressedTimes: (track: TrackID, times: TimeCompression)? {
        guard let track, let compression else { return nil }
        return (track, compression)
    }
}

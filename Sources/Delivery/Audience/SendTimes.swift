import Media
import Streams

/// When the runs that a round sends for the first time were sent.
struct SendTimes {
    /// The indices of the runs in the feed.
    let runs: Range<Int64>
    /// When the first system call began that sends packets of the runs; `nil` before any.
    var first: MonotonicTime?

    init(_ runs: Range<Int64>) {
        self.runs = runs
    }
}

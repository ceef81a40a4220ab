import Media
import Streams

/// Runs that a round sends for the first time, and when that began.
struct SendTimes {
    /// Their indices in the feed.
    let runs: Range<Int64>
    /// When the first call began that handed packets of them to the kernel; `nil` before any.
    var first: MonotonicTime?

    init(_ runs: Range<Int64>) {
        self.runs = runs
    }
}

extension Audience {
    /// Everyone who keeps up was sent the round's runs by `last`: tells the stream, once per round.
    ///
    /// Only of pictures that come in one piece: of slices that come one by one nobody could say which call took the first.
    func recordSendTimes(at last: MonotonicTime) {
        guard let sendTimes, !round.isUnderWay else { return }
        self.sendTimes = nil
        for index in sendTimes.runs {
            guard let run = run(at: index), run.track == leading.id, run.part == .whole else { continue }
            stream.latencyTrace.sent(
                captured: stream.epoch + run.presentationTime.nanoseconds, first: sendTimes.first ?? last, last: last)
        }
    }
}

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

extension Audience {
    /// Records in the stream, once per round, that all viewers that keep up were sent the round's runs by `last`.
    ///
    /// Only whole frames are recorded: if slices come one by one, it is unknown which call sent the first.
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

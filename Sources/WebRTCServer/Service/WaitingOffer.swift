import Media
import Streams

/// A player's offer that waits for the first media of a stream.
struct WaitingOffer {
    let request: SessionRequest
    let answer: LoopInbox.Answer
    let path: OfferedPath
    /// When it is answered in any case.
    let deadline: MonotonicTime
    /// Makes the source of an on-demand stream run.
    let use: StreamUse
    /// Makes the stream exist in which tracks are encoded again.
    var sourceUse: StreamUse?
}

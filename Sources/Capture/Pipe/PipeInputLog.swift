import Logging
import Media
import Synchronization

/// What a pipe's source logs about its input. The runs of a source share one, so that what is repeated is logged once a minute.
public final class PipeInputLog: Sendable {
    private struct State {
        var waitingToldAt: MonotonicTime?
        var format: UnsupportedFormat?
    }

    private static let intervalMilliseconds: Int64 = 60_000

    private let log: Logger
    private let state = Mutex(State())

    public init(log: Logger) {
        self.log = log
    }

    /// The format that the input was recognised as, in this run or an earlier one: a later run may begin in its middle.
    func recognized(_ format: UnsupportedFormat?) -> UnsupportedFormat? {
        state.withLock { state in
            state.format = format ?? state.format
            return state.format
        }
    }

    /// The input is H.264 after all.
    func foundPicture() {
        state.withLock { $0.format = nil }
    }

    /// No byte has come from `name`.
    func isWaiting(for name: String, at now: MonotonicTime) {
        let isDue = state.withLock { state in
            if let last = state.waitingToldAt, now < last.advanced(byMilliseconds: Self.intervalMilliseconds) {
                return false
            }
            state.waitingToldAt = now
            return true
        }
        if isDue { log.notice("no input yet: waiting for a program that writes H.264 to \(name)") }
    }

    /// Input comes from `name`, but no picture.
    ///
    /// - Parameter hasSlices: whether it holds H.264 at all.
    func hasNoPicture(from name: String, hasSlices: Bool) {
        let problem =
            hasSlices
            ? "\(name) gives H.264 without parameter sets (SPS and PPS), so nothing can be shown; make the writer repeat them, "
                + "as rpicam-vid --inline or ffmpeg -bsf:v dump_extra does"
            : "\(name) has given input for 5 s in which nothing is recognised as H.264; make the writer send raw H.264 (Annex B), "
                + "as ffmpeg … -an -c:v libx264 -f h264 - does"
        log.warning("\(problem)")
    }
}
